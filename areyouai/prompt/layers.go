package prompt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"stele/areyouai"
)

// Section names in the order of the text, which is the ordered_stack of a
// context reply. Source: contract, "bundle_hash and the prompt bundle".
const (
	SectionSystemCore      = "SYSTEM_CORE"
	SectionHardRulesGlobal = "HARD_RULES_GLOBAL"
	SectionHardRulesAgent  = "HARD_RULES_AGENT"
	SectionIdentity        = "IDENTITY"
	SectionSoul            = "SOUL"
	SectionUser            = "USER"
	SectionTaskContext     = "TASK_CONTEXT"
	SectionRecentMemory    = "RECENT_MEMORY"
)

// MaxLayerBytes bounds one layer file, so that a wrong path given as layer
// folder cannot fill the memory or every prompt.
const MaxLayerBytes = 64 << 10

// layerCount is how many of the sections are static layers; they come first.
const layerCount = 6

// OrderedStack returns the eight section names. The slice is the caller's.
func OrderedStack() []string {
	return []string{
		SectionSystemCore, SectionHardRulesGlobal, SectionHardRulesAgent, SectionIdentity,
		SectionSoul, SectionUser, SectionTaskContext, SectionRecentMemory,
	}
}

//go:embed layers/*.md
var defaultFiles embed.FS

// Texts are the six static layers as markdown.
type Texts struct {
	SystemCore      string
	HardRulesGlobal string
	HardRulesAgent  string
	Identity        string
	Soul            string
	User            string
}

func (t *Texts) fields() [layerCount]*string {
	return [...]*string{
		&t.SystemCore, &t.HardRulesGlobal, &t.HardRulesAgent, &t.Identity, &t.Soul, &t.User,
	}
}

// Layers are static layers made ready: trimmed, checked, hashed and joined
// once, because they are the same in every bundle. They never change.
type Layers struct {
	head   string
	hashes areyouai.LayerHashes
}

// ErrSectionInLayer is a layer text with a line that would start a section.
var ErrSectionInLayer = errors.New("prompt: a layer contains a section header")

// NewLayers prepares texts. It fails when one is not valid UTF-8, exceeds
// MaxLayerBytes, or has a line that is a section header (ErrSectionInLayer),
// which would make the bundle ambiguous to its reader.
func NewLayers(texts Texts) (*Layers, error) {
	var (
		head   strings.Builder
		hashes [layerCount]string
		names  = OrderedStack()
	)
	for i, p := range texts.fields() {
		text := strings.TrimSpace(lineEnds.Replace(*p))
		if err := checkLayer(text); err != nil {
			return nil, fmt.Errorf("layer %s: %w", names[i], err)
		}
		hashes[i] = hexSHA256(text)
		writeSection(&head, names[i], text)
	}
	return &Layers{head: head.String(), hashes: areyouai.LayerHashes{
		SystemCore: hashes[0], GlobalRules: hashes[1], AgentRules: hashes[2],
		Identity: hashes[3], Soul: hashes[4], User: hashes[5],
	}}, nil
}

// lineEnds makes a line of everything that an editor shows as one, so that no
// section header hides from checkLayer.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// Hashes returns the SHA-256 of each trimmed layer.
func (l *Layers) Hashes() areyouai.LayerHashes { return l.hashes }

func checkLayer(text string) error {
	if len(text) > MaxLayerBytes {
		return fmt.Errorf("prompt: longer than %d bytes", MaxLayerBytes)
	}
	if !utf8.ValidString(text) {
		return errors.New("prompt: not valid UTF-8")
	}
	for line := range strings.Lines(text) {
		for _, name := range OrderedStack() {
			if strings.TrimSpace(line) == "["+name+"]" {
				return fmt.Errorf("%w: %s", ErrSectionInLayer, name)
			}
		}
	}
	return nil
}

// embedded parses the defaults once per process; they are constants, and a
// test keeps them valid.
var embedded = sync.OnceValues(func() (*Layers, error) {
	texts, err := readTexts(defaultFiles, "layers/", Texts{})
	if err != nil {
		return nil, err
	}
	return NewLayers(texts)
})

// DefaultLayers returns the layers embedded in the binary.
func DefaultLayers() *Layers {
	l, err := embedded()
	if err != nil {
		panic(err)
	}
	return l
}

// DefaultTexts returns the markdown of the embedded layers, for an operator
// who wants to start from it.
func DefaultTexts() Texts {
	texts, err := readTexts(defaultFiles, "layers/", Texts{})
	if err != nil {
		panic(err)
	}
	return texts
}

// Load reads layers from the files SYSTEM_CORE.md, HARD_RULES_GLOBAL.md,
// HARD_RULES_AGENT.md, IDENTITY.md, SOUL.md and USER.md of fsys. A missing
// file keeps the default text; a folder with none of them is an error, because
// it is surely the wrong folder.
func Load(fsys fs.FS) (*Layers, error) {
	texts, err := readTexts(fsys, "", DefaultTexts())
	if err != nil {
		return nil, err
	}
	return NewLayers(texts)
}

// LoadDir is [Load] on a folder of the file system.
func LoadDir(dir string) (*Layers, error) {
	l, err := Load(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("prompt layers in %s: %w", dir, err)
	}
	return l, nil
}

func readTexts(fsys fs.FS, prefix string, texts Texts) (Texts, error) {
	names, found := OrderedStack(), 0
	for i, p := range texts.fields() {
		text, err := readLayer(fsys, prefix+names[i]+".md")
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
		return Texts{}, fmt.Errorf("prompt: no layer file such as %s.md: %w", SectionSystemCore, fs.ErrNotExist)
	}
	return texts, nil
}

func readLayer(fsys fs.FS, name string) (string, error) {
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

func hexSHA256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
