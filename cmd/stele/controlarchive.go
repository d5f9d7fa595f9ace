package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"stele/adapters/archive"
	"stele/areyouai"
	"stele/core"
)

// exportWanted says which room is to be written, and what of it.
type exportWanted struct {
	Room  string `json:"room"`
	Media bool   `json:"media"`
}

// exportTo writes a room to where it is wanted.
func exportTo(ctx context.Context, node *core.Node, req exportWanted, to io.Writer) (archive.Written, error) {
	room, err := findRoom(node, req.Room)
	if err != nil {
		return archive.Written{}, err
	}
	x, err := node.ExportRoom(ctx, room)
	if err != nil {
		return archive.Written{}, err
	}
	return archive.Write(ctx, to, x, archive.WriteOptions{Log: node.LogID(), At: node.Now(), Media: req.Media})
}

// importWanted says how a file is to be taken.
type importWanted struct {
	Form         string            `json:"form,omitempty"`
	Name         string            `json:"name,omitempty"`
	Owner        string            `json:"owner,omitempty"`
	KeepID       bool              `json:"keep_id,omitempty"`
	Again        bool              `json:"again,omitempty"`
	Reopen       bool              `json:"reopen,omitempty"`
	SkipUnknown  bool              `json:"skip_unknown,omitempty"`
	MatchHandles bool              `json:"match_handles,omitempty"`
	HumanCode    bool              `json:"human_code,omitempty"`
	People       map[string]string `json:"people,omitempty"`
}

// importDone is what a file became.
type importDone struct {
	core.RoomImported
	Form archive.Form `json:"form"`
	// Skipped counts events of kinds that are not known here.
	Skipped int `json:"skipped,omitempty"`
	// HumanCode is shown this once.
	HumanCode string `json:"human_code,omitempty"`
}

// importFrom makes a room of a file.
func importFrom(ctx context.Context, node *core.Node, req importWanted, from io.Reader) (importDone, error) {
	hold := node.HoldMedia()
	defer hold.Release()
	a, err := archive.Read(ctx, from, archive.ReadOptions{
		Form: archive.Form(req.Form), SkipUnknown: req.SkipUnknown, Media: hold,
	})
	if err != nil {
		return importDone{}, err
	}
	done := importDone{Form: a.Form, Skipped: a.Skipped}
	cmd := core.ImportRoom{
		Events: a.Events, From: string(a.Form), Owner: req.Owner, KeepID: req.KeepID, Again: req.Again, Reopen: req.Reopen,
		People: req.People, MatchHandles: req.MatchHandles, Media: a.Media,
	}
	if a.Nameless {
		cmd.Name = req.Name
	}
	if req.HumanCode {
		done.HumanCode = node.IDs().Secret(areyouai.PrefixHumanCode, areyouai.HumanCodeBytes)
		cmd.HumanCodeHash = core.HashSecret(done.HumanCode)
	}
	if done.RoomImported, err = node.ImportRoom(ctx, cmd); err != nil {
		err = errors.Join(err, a.Discard(context.WithoutCancel(ctx), node))
		var before *core.AlreadyImportedError
		if errors.As(err, &before) {
			err = fmt.Errorf("%w; to import it once more, say --%s", err, flagAgain)
		}
		return importDone{}, err
	}
	if len(a.LeftOut) > 0 && done.LeftOut == nil {
		done.LeftOut = map[string]int{}
	}
	maps.Copy(done.LeftOut, a.LeftOut)
	return done, nil
}
