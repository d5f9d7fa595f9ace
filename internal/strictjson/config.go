package strictjson

import (
	jsoniter "github.com/json-iterator/go"
)

// config is frozen once and never changed afterwards. Nothing else in the
// program configures json-iterator.
var config = freeze()

func freeze() jsoniter.API {
	api := jsoniter.Config{
		EscapeHTML:             false,
		SortMapKeys:            true,
		CaseSensitive:          true,
		ValidateJsonRawMessage: true,
		UseNumber:              true,
	}.Froze()
	api.RegisterExtension(&corrections{})
	return api
}
