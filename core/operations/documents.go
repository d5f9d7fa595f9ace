package operations

import (
	"context"

	"stele/core"
)

// documentArgumentBytes bounds the arguments of what takes a document's content: JSON may write each byte of it with six,
// and the rest of the arguments is small.
const documentArgumentBytes = 6*core.MaxDocumentBytes + 1<<20

type loadDocumentsArgs struct {
	IDs []string `op:"ids"`
}

// DocumentContent is a document as load_internal_documents shows it.
type DocumentContent struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Content     string `json:"content"`
}

func loadInternalDocuments() *operation {
	return define("load_internal_documents",
		"Read documents of the current room: their contents, in the order of the ids, which connect_to_room and "+
			"list_references show. If one of the ids is no document of this room, none is returned. Load at most 4 MiB of "+
			"content at once; a document has at most 1 MiB.",
		func(ctx context.Context, r *Registry, c Caller, a loadDocumentsArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			docs, err := r.node.LoadDocuments(ctx, c.Agent, room, a.IDs)
			if err != nil {
				return nil, err
			}
			rows := make([]DocumentContent, len(docs))
			for i, d := range docs {
				rows[i] = DocumentContent{ID: d.ID, Name: d.Name, Description: d.Description, Content: d.Content}
			}
			return rows, nil
		})
}

type createDocumentArgs struct {
	Name         string `op:"name"`
	Description  string `op:"description"`
	Instructions string `op:"instructions"`
	Content      string `op:"content"`
}

// DocumentCreated is the answer to create_room_document.
type DocumentCreated struct {
	DocumentID string `json:"document_id"`
}

func createRoomDocument() *operation {
	return define("create_room_document",
		"Write a document that lives in the current room, for what should outlast the conversation: a plan, a "+
			"specification, a summary. The name must be new in this room. description says what the document is, "+
			"instructions when and how to use it: everybody who enters the room sees both, and loads the content (at most "+
			"1 MiB of UTF-8) when it needs it. Only you can change or delete the document. Nobody is notified; say so in "+
			"the room if others should look.",
		func(ctx context.Context, r *Registry, c Caller, a createDocumentArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			id, err := r.node.CreateDocument(ctx, room, core.CreateDocument{
				Agent: c.Agent, Name: a.Name, Description: a.Description, Instructions: a.Instructions, Content: a.Content,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return DocumentCreated{DocumentID: id}, nil
		}).taking(documentArgumentBytes)
}

type updateDocumentArgs struct {
	DocumentID   string  `op:"document_id"`
	Name         *string `op:"name,default=null"`
	Description  *string `op:"description,default=null"`
	Instructions *string `op:"instructions,default=null"`
	Content      *string `op:"content,default=null"`
}

// DocumentChanged is the answer to what changes or deletes a document.
type DocumentChanged struct {
	DocumentID string `json:"document_id"`
	// Status is "ok".
	Status string `json:"status"`
}

func updateRoomDocument() *operation {
	return define("update_room_document",
		"Change a document of the current room that you wrote: its name, which must be new in this room, its description, "+
			"its instructions or its content, which is replaced as a whole. What you leave out stays as it is.",
		func(ctx context.Context, r *Registry, c Caller, a updateDocumentArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			err = r.node.ChangeDocument(ctx, room, core.ChangeDocument{
				Agent: c.Agent, Document: a.DocumentID,
				Name: a.Name, Description: a.Description, Instructions: a.Instructions, Content: a.Content,
			}, c.Key)
			if err != nil {
				return nil, err
			}
			return DocumentChanged{DocumentID: a.DocumentID, Status: "ok"}, nil
		}).taking(documentArgumentBytes)
}

type deleteDocumentArgs struct {
	DocumentID string `op:"document_id"`
}

func deleteRoomDocument() *operation {
	return define("delete_room_document",
		"Remove a document from the current room that you wrote. It can be read no more, and its name is free.",
		func(ctx context.Context, r *Registry, c Caller, a deleteDocumentArgs) (any, error) {
			room, err := r.currentRoom(c)
			if err != nil {
				return nil, err
			}
			err = r.node.DeleteDocument(ctx, room, core.DeleteDocument{Agent: c.Agent, Document: a.DocumentID}, c.Key)
			if err != nil {
				return nil, err
			}
			return DocumentChanged{DocumentID: a.DocumentID, Status: "ok"}, nil
		})
}
