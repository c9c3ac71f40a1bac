package platforms

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// livekit is the server API of rooms: a text is a data message to all who are in one. It knows one that
// is sent again by its nonce. Rooms are there for whoever asks.
var livekit = platform{
	read: readLiveKit,
	taken: func(m *Message) reply {
		m.ID = hex.EncodeToString([]byte(m.Key))
		return says(http.StatusOK, object{})
	},
	repeated: func(Message) reply { return says(http.StatusOK, object{}) },
	busy: func(seconds int) reply {
		return says(http.StatusTooManyRequests, twirpError("resource_exhausted", "too many requests")).after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    says(http.StatusInternalServerError, twirpError("internal", "something is wrong")),
		Refuses: says(http.StatusNotFound, twirpError("not_found", "requested room does not exist")),
		Revoked: says(http.StatusUnauthorized, twirpError("unauthenticated", "invalid API key")),
		Inside:  {status: http.StatusOK, body: "<html>Bad gateway</html>"},
	},
}

func twirpError(code, words string) object { return object{"code": code, "msg": words} }

// liveKitData is the largest reliable data packet, in bytes.
const liveKitData = 15 << 10

func readLiveKit(q request) (m Message, answer *reply) {
	no := func(status int, v any) (Message, *reply) {
		out := says(status, v)
		return m, &out
	}
	method, is := strings.CutPrefix(q.path, "/twirp/livekit.")
	token, bearer := strings.CutPrefix(q.header.Get("Authorization"), "Bearer ")
	switch {
	case !is || q.method != http.MethodPost:
		return no(http.StatusNotFound, twirpError("bad_route", "no handler for path "+q.path))
	case !bearer || strings.Count(token, ".") != 2:
		return no(http.StatusUnauthorized, twirpError("unauthenticated", "permissions denied"))
	}
	var asked struct {
		Name  string `json:"name"` // of a room that is to be made
		Room  string `json:"room"`
		Agent string `json:"agent_name"`
		Data  []byte `json:"data"`
		Nonce []byte `json:"nonce"`
	}
	if json.Unmarshal(q.body, &asked) != nil {
		return no(http.StatusBadRequest, twirpError("malformed", "the json request could not be decoded"))
	}
	room := asked.Name + asked.Room
	m.By, m.To, m.Request = method, room, q.body
	switch method {
	case "RoomService/CreateRoom":
		return no(http.StatusOK, object{"sid": "RM_recorder", "name": room})
	case "AgentDispatchService/CreateDispatch":
		return no(http.StatusOK, object{"id": "AD_recorder", "room": room, "agent_name": asked.Agent})
	case "RoomService/ListRooms":
		return no(http.StatusOK, object{"rooms": []object{}})
	case "RoomService/DeleteRoom", "RoomService/RemoveParticipant":
		return no(http.StatusOK, object{})
	case "RoomService/SendData":
	default:
		return no(http.StatusNotFound, twirpError("bad_route", "no handler for path "+q.path))
	}
	var said struct {
		Text string `json:"text"`
	}
	switch {
	case room == "":
		return no(http.StatusBadRequest, twirpError("invalid_argument", "room is required"))
	case len(asked.Data) > liveKitData:
		return no(http.StatusBadRequest, twirpError("invalid_argument", fmt.Sprintf("data is larger than %d bytes", liveKitData)))
	case json.Unmarshal(asked.Data, &said) != nil: // what others say to each other in rooms
		said.Text = string(asked.Data)
	}
	m.Text, m.Key = said.Text, string(asked.Nonce)
	return m, nil
}
