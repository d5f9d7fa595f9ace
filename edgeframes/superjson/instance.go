package superjson

// Instance is an object of a class that both ends registered by name; see
// [Types.Class].
type Instance struct {
	// Class is the registered identifier.
	Class string
	// Props are the properties that travel.
	Props *Object
}

// Symbol is a registered JavaScript symbol; see [Types.Symbol].
type Symbol struct {
	// ID is the registered identifier, which says which symbol it is.
	ID string
	// Description is the text that JavaScript shows for it.
	Description string
}

// Custom is a value that a transformer claimed at the other end; see [Types.Custom].
type Custom struct {
	// Name is the transformer's.
	Name string
	// Value is what the transformer made of the value. Of an object or array each
	// part may be anything; another value travels as plain JSON.
	Value Value
}

// Kind implements [Value].
func (*Instance) Kind() Kind { return KindInstance }

// Kind implements [Value].
func (Symbol) Kind() Kind { return KindSymbol }

// Kind implements [Value].
func (*Custom) Kind() Kind { return KindCustom }

func (*Instance) value() {}
func (Symbol) value()    {}
func (*Custom) value()   {}
