package main

import (
	"fmt"
	"os"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLogger writes to standard error: JSON lines, or lines for people on a terminal.
func newLogger(level string) (*zap.Logger, error) {
	lvl, err := parseLevel(level)
	if err != nil {
		return nil, err
	}
	cfg := zap.NewProductionEncoderConfig()
	cfg.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewJSONEncoder(cfg)
	if isTerminal(os.Stderr) {
		cfg.EncodeLevel = zapcore.CapitalColorLevelEncoder
		encoder = zapcore.NewConsoleEncoder(cfg)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(os.Stderr), lvl)), nil
}

// parseLevel knows the levels at which the program logs. The library's severer ones would hide everything.
func parseLevel(level string) (zapcore.Level, error) {
	for lvl := zapcore.DebugLevel; lvl <= zapcore.ErrorLevel; lvl++ {
		if strings.EqualFold(level, lvl.String()) {
			return lvl, nil
		}
	}
	return 0, fmt.Errorf("must be debug, info, warn or error, but is %q", level)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
