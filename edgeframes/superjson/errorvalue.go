package superjson

// Error is a JavaScript Error as a value. It never has a stack, unless "stack" is an
// allowed property.
type Error struct {
	// Name is the class, such as "TypeError".
	Name string
	// Message is the text for people.
	Message string
	// Cause is nil when the error has none; a cause of undefined is [Undefined].
	Cause Value
	// Props are further properties. They travel only if the [Codec] at each end
	// lists their keys in ErrorProps.
	Props []Member
}

// Error implements error, so that a decoded Error may be returned as one.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}

// Prop returns the property key.
func (e *Error) Prop(key string) (Value, bool) {
	for _, m := range e.Props {
		if m.Key == key {
			return m.Value, true
		}
	}
	return nil, false
}

// Kind implements [Value].
func (*Error) Kind() Kind { return KindError }
func (*Error) value()     {}
