package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A patient transport reports the end of its input once every call has its response, because the
// SDK drops calls in progress then.
type patient struct{ sdk.Transport }

func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	return &patientConnection{Connection: c, calls: map[jsonrpc.ID]bool{}}, err
}

type patientConnection struct {
	sdk.Connection
	mu    sync.Mutex
	calls map[jsonrpc.ID]bool // without a response
	done  chan struct{}       // once the input has ended; closed without calls
}

func (c *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	c.mu.Lock()
	if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
		c.calls[r.ID] = true
	}
	if err == nil {
		c.mu.Unlock()
		return message, nil
	}
	c.done = make(chan struct{})
	c.closeIfDone()
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	return message, err
}

func (c *patientConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if r, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls[r.ID] {
			delete(c.calls, r.ID)
			c.closeIfDone()
		}
	}
	return err
}

func (c *patientConnection) closeIfDone() {
	if c.done != nil && len(c.calls) == 0 {
		close(c.done)
	}
}
