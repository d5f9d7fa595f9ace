package prompt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// LoadLayers reads layers from the files system_core.md, hard_rules_global.md,
// hard_rules_agent.md, identity.md, soul.md and user.md of fsys. A missing file
// keeps the default text. Any other file is an error, because a layer under a
// wrong name would be ignored without a word; so is a folder with none of
// them, which is surely the wrong one. Names that begin with a dot do not
// count.
func LoadLayers(fsys fs.FS) (*Layers, error) {
	if err := checkNames(fsys); err != nil {
		return nil, err
	}
	texts, err := readTexts(fsys, ".", DefaultTexts())
	if err != nil {
		return nil, err
	}
	return NewLayers(texts)
}

// LoadLayersDir is [LoadLayers] on a folder of the file system.
func LoadLayersDir(dir string) (*Layers, error) {
	l, err := LoadLayers(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("prompt layers in %s: %w", dir, err)
	}
	return l, nil
}

// maxUnknown is how many wrong names are said: a wrong folder may hold any
// number.
const maxUnknown = 5

// fileNames are the layers' files in the order of the sections.
func fileNames() []string {
	names := OrderedStack()[:layerCount]
	for i, name := range names {
		names[i] = strings.ToLower(name) + ".md"
	}
	return names
}

func checkNames(fsys fs.FS) error {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return err
	}
	var unknown []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(fileNames(), e.Name()) {
			unknown = append(unknown, fmt.Sprintf("%q", e.Name()))
		}
	}
	if more := len(unknown) - maxUnknown; more > 0 {
		unknown = append(unknown[:maxUnknown], fmt.Sprintf("%d more", more))
	}
	if len(unknown) > 0 {
		return fmt.Errorf("prompt: no layer is called %s; the layers are %s",
			strings.Join(unknown, ", "), strings.Join(fileNames(), ", "))
	}
	return nil
}

func readTexts(fsys fs.FS, dir string, texts Texts) (Texts, error) {
	names, found := fileNames(), 0
	for i, p := range texts.fields() {
		text, err := readLayer(fsys, path.Join(dir, names[i]))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Texts{}, err
		}
		*p = text
		found++
	}
	if found == 0 {
		return Texts{}, fmt.Errorf("prompt: none of the files %s: %w", strings.Join(names, ", "), fs.ErrNotExist)
	}
	return texts, nil
}

func readLayer(fsys fs.FS, name string) (string, error) {
	// A pipe or a device may never begin or have no end.
	if info, err := fs.Stat(fsys, name); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("prompt: %s is no file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxLayerBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > MaxLayerBytes {
		return "", fmt.Errorf("prompt: %s is longer than %d bytes", name, MaxLayerBytes)
	}
	return string(data), nil
}
