// Package testsocket is a WebSocket client without manners, for tests of servers.
//
// A library's client keeps RFC 6455, so it can not send half a frame, a frame without a mask or sixty-five frames in the same
// write as the upgrade request. A [Socket] sends whatever bytes a test wants, and reads frames one by one with nothing answered
// for it:
//
//	s := testsocket.Dial(t, srv.URL+"/agents/alice/chat", patience)
//	s.Put(testsocket.Text(`{"v":1}`), testsocket.Frame(testsocket.OpPing|testsocket.Fin, "x"))
//	require.Equal(t, 1002, s.CloseCode())
//
// Every read ends by the patience that it was dialed with, and the connection is closed with the test.
package testsocket
