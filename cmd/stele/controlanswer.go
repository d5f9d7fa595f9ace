package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"stele/internal/strictjson"
)

// readControl reads what a gateway answers to a control: a result, or why there is none.
func readControl(answer *http.Response, into any) error {
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxControlBytes))
	if err != nil {
		return fmt.Errorf("read the gateway's answer: %w", err)
	}
	limits := strictjson.Limits{MaxBytes: maxControlBytes}
	if answer.StatusCode == http.StatusOK {
		return strictjson.UnmarshalLimits(data, into, limits)
	}
	var refused refusal
	if err := strictjson.UnmarshalLimits(data, &refused, limits); err != nil {
		return fmt.Errorf("the gateway answered %s", answer.Status)
	}
	return errors.New(refused.Error)
}

// unquoted is a text that was quoted to go into one line of a header.
func unquoted(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}
