package strictjson

// MaxNumberBytes bounds one number literal. Longer ones have no honest use and
// make arbitrary-precision parsers take time that grows with the square.
const MaxNumberBytes = 1024

// Limits bounds a document. A zero field means the default.
type Limits struct {
	// MaxBytes is the greatest length in bytes; default 1 MiB.
	MaxBytes int
	// MaxDepth is the greatest number of objects and arrays inside each other;
	// default 512. A document without any has depth 0.
	MaxDepth int
	// WholeText makes half of a surrogate pair in a text an error, where it
	// would read as U+FFFD otherwise.
	WholeText bool
}

// DefaultLimits returns what a zero Limits means.
func DefaultLimits() Limits { return Limits{MaxBytes: 1 << 20, MaxDepth: 512} }

func (l Limits) withDefaults() Limits {
	def := DefaultLimits()
	if l.MaxBytes <= 0 {
		l.MaxBytes = def.MaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = def.MaxDepth
	}
	return l
}

// Check reports whether data is exactly one JSON value within lim, with
// nothing but white space around it. It reads data once and does not allocate
// unless it fails. Errors are ErrTooLarge, ErrTooDeep, ErrInvalidUTF8 or a
// *SyntaxError, and ErrLoneSurrogate if lim asks for whole text.
func Check(data []byte, lim Limits) error {
	_, err := check(data, lim)
	return err
}

// traits are properties of a sound document that decide how it is handled.
type traits struct {
	space         bool // white space outside strings
	loneSurrogate bool // an escape such as \ud800 without its other half
	oddNumber     bool // one with an exponent, or so long that it may be beyond the range of a double
}

func check(data []byte, lim Limits) (traits, error) {
	lim = lim.withDefaults()
	if len(data) > lim.MaxBytes {
		return traits{}, ErrTooLarge
	}
	s := scanner{data: data, maxDepth: lim.MaxDepth}
	if !s.document() {
		return traits{}, s.failure()
	}
	if lim.WholeText && s.traits.loneSurrogate {
		return traits{}, ErrLoneSurrogate
	}
	return s.traits, nil
}
