package superjson

// Defaults of [Limits]. The library bounds nothing; these are ours, chosen so that
// an ordinary frame never meets them and a hostile one costs little.
const (
	// DefaultMaxBytes is 1 MiB, the size suggested for a message to a server.
	DefaultMaxBytes = 1 << 20
	// DefaultMaxDepth is the nesting of arrays and objects in the "json" part.
	DefaultMaxDepth = 512
	// DefaultMaxAnnotations counts every annotated place; one per Date is normal.
	DefaultMaxAnnotations = 100_000
	// DefaultMaxPath is the length in bytes of one place's path from the root.
	DefaultMaxPath = 16 << 10
	// DefaultMaxBigIntDigits bounds the digits of one bigint, as reading a decimal
	// number takes time that grows with the square of its length.
	DefaultMaxBigIntDigits = 10_000
	// DefaultExpansion is how many times MaxBytes the value may grow to when its
	// referentialEqualities are written out: without a bound, thirty lines of
	// doubling references would stand for a billion values.
	DefaultExpansion = 16
)

// Limits bounds what a decoder accepts. A zero field means its default, so the zero
// value is right for text from strangers.
type Limits struct {
	// MaxBytes is the length of the whole text. Default 1 MiB.
	MaxBytes int
	// MaxDepth is the deepest nesting of arrays and objects in the "json" part,
	// where each Map takes two levels. Default 512. Encoding obeys it too.
	MaxDepth int
	// MaxAnnotations is the number of annotated places and of shared references
	// together. Default 100,000.
	MaxAnnotations int
	// MaxPath is the length of one place's path from the root, in bytes as the
	// newest release escapes it. Default 16 KiB.
	MaxPath int
	// MaxBigIntDigits is the length of one bigint's text. Default 10,000.
	MaxBigIntDigits int
	// MaxExpanded is the approximate size in bytes of the value with its shared
	// references written out. Default 16 times MaxBytes. Encoding obeys it where it
	// repeats a shared part.
	MaxExpanded int
}

func (l Limits) withDefaults() Limits {
	l.fill()
	return l
}

// fill puts the defaults where there is nothing.
func (l *Limits) fill() {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	if l.MaxAnnotations <= 0 {
		l.MaxAnnotations = DefaultMaxAnnotations
	}
	if l.MaxPath <= 0 {
		l.MaxPath = DefaultMaxPath
	}
	if l.MaxBigIntDigits <= 0 {
		l.MaxBigIntDigits = DefaultMaxBigIntDigits
	}
	if l.MaxExpanded <= 0 {
		l.MaxExpanded = DefaultExpansion * l.MaxBytes
	}
}
