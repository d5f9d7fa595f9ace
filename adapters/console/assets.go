package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/labstack/echo/v4"
)

//go:embed assets
var assetFiles embed.FS

// assetsPath is where the files lie below [Prefix].
const assetsPath = "/assets/"

// assets are the files that pages load. All lie below a name that changes with any of their contents, so that a browser keeps
// them for ever, and modules can name each other by plain relative paths.
type assets struct {
	version string
	files   map[string][]byte
}

func loadAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	sum := sha256.New()
	err := fs.WalkDir(assetFiles, "assets", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := assetFiles.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, "assets/")
		a.files[name] = b
		_, _ = sum.Write([]byte(name))
		_, _ = sum.Write(b)
		return nil
	})
	if err != nil {
		// The binary carries the files.
		panic(err)
	}
	a.version = hex.EncodeToString(sum.Sum(nil))[:12]
	return a
}

// path is where a page finds a file.
func (a *assets) path(name string) string { return Prefix + assetsPath + a.version + "/" + name }

func (a *assets) serve(c echo.Context) error {
	version, name, _ := strings.Cut(c.Param("*"), "/")
	b, ok := a.files[name]
	if !ok {
		return errNoPage
	}
	h := c.Response().Header()
	if version == a.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	return c.Blob(http.StatusOK, typeOf(name), b)
}

// typeOf does not go by the machine's table of types, which may say anything.
func typeOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return mime.TypeByExtension(ext)
	}
}
