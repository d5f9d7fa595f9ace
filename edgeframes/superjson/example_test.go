package superjson_test

import (
	"fmt"
	"log"
	"time"

	"stele/edgeframes/superjson"
)

func Example() {
	v := superjson.NewObject(
		superjson.Member{Key: "at", Value: superjson.DateOf(time.Unix(0, 0))},
		superjson.Member{Key: "tags", Value: superjson.NewSet(superjson.String("vip"))},
		superjson.Member{Key: "note", Value: superjson.Undefined{}},
	)
	text, err := superjson.Append(nil, v)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	back, err := superjson.Parse(text, superjson.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(superjson.Equal(v, back))
	fmt.Println(string(superjson.AppendJSON(nil, back)))
	// Output:
	// {"json":{"at":"1970-01-01T00:00:00.000Z","tags":["vip"],"note":null},"meta":{"values":{"at":["Date"],"tags":["set"],"note":["undefined"]},"v":1}}
	// true
	// {"at":"1970-01-01T00:00:00.000Z","tags":["vip"]}
}
