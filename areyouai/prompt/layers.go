package prompt

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

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

// NewLayers prepares texts. It fails when one is not valid UTF-8, exceeds
// MaxLayerBytes, holds control characters other than tabs and line ends, or
// has a line that looks like a section header (ErrSectionInLayer), which would
// make the bundle ambiguous to its reader.
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

// Hashes returns the SHA-256 of each trimmed layer.
func (l *Layers) Hashes() areyouai.LayerHashes { return l.hashes }

// embedded parses the defaults once per process; they are constants, and a
// test keeps them valid.
var embedded = sync.OnceValues(func() (*Layers, error) {
	texts, err := readTexts(defaultFiles, "layers", Texts{})
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
	texts, err := readTexts(defaultFiles, "layers", Texts{})
	if err != nil {
		panic(err)
	}
	return texts
}

func hexSHA256(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
