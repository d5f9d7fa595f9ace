package superjson_test

import (
	"fmt"
	"log"
	"math/big"
	"os"
	"time"

	"stele/edgeframes/superjson"
)

func Example() {
	type note struct {
		At   time.Time      `json:"at"`
		ID   *big.Int       `json:"id"`
		Tags *superjson.Set `json:"tags"`
		Text string         `json:"text,omitempty"`
	}
	text, err := superjson.Marshal(note{
		At:   time.UnixMilli(0),
		ID:   big.NewInt(1 << 60),
		Tags: superjson.NewSet(superjson.String("vip")),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	var back note
	if err := superjson.Unmarshal(text, &back); err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.At.UTC(), back.ID, back.Tags.Len())
	// Output:
	// {"json":{"at":"1970-01-01T00:00:00.000Z","id":"1152921504606846976","tags":["vip"]},"meta":{"values":{"at":["Date"],"id":["bigint"],"tags":["set"]},"v":1}}
	// 1970-01-01 00:00:00 +0000 UTC 1152921504606846976 1
}

// A tree keeps all that a text says.
func ExampleValue() {
	v := superjson.NewObject(
		superjson.Member{Key: "at", Value: superjson.DateOf(time.UnixMilli(0))},
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
	// {"json":{"at":"1970-01-01T00:00:00.000Z","note":null},"meta":{"values":{"at":["Date"],"note":["undefined"]},"v":1}}
	// true
	// {"at":"1970-01-01T00:00:00.000Z"}
}

// Both ends know the class Point and the transformer "cents".
func ExampleRegisterClass() {
	type cents int
	type Point struct {
		X     int   `json:"x"`
		Price cents `json:"price"`
	}
	types := superjson.NewTypes()
	superjson.RegisterClass[Point](types, "Point")
	superjson.RegisterCustom(types, "cents",
		func(c cents) (any, error) { return fmt.Sprintf("%d.%02d", c/100, c%100), nil },
		func(v superjson.Value) (c cents, err error) {
			var whole, part int
			digits, _ := v.(superjson.String)
			_, err = fmt.Sscanf(string(digits), "%d.%d", &whole, &part)
			return cents(whole*100 + part), err
		})
	codec := superjson.Codec{Types: types}

	text, err := codec.Marshal(map[string]any{"p": Point{X: 1, Price: 250}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	var back map[string]any
	if err := codec.Unmarshal(text, &back); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", *back["p"].(*Point))
	// Output:
	// {"json":{"p":{"x":1,"price":"2.50"}},"meta":{"values":{"p":[["class","Point"],{"price":[["custom","cents"]]}]},"v":1}}
	// {X:1 Price:250}
}

// Identity survives, circles too.
func ExampleCodec_cycles() {
	type person struct {
		Name   string  `json:"name"`
		Friend *person `json:"friend"`
	}
	ann := &person{Name: "Ann", Friend: &person{Name: "Bob"}}
	ann.Friend.Friend = ann
	text, err := superjson.Marshal(ann)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	var back *person
	if err := (superjson.Codec{Cycles: true}).Unmarshal(text, &back); err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Friend.Friend == back)
	// Output:
	// {"json":{"name":"Ann","friend":{"name":"Bob","friend":null}},"meta":{"referentialEqualities":[["friend.friend"]],"v":1}}
	// true
}

func ExampleEncoder() {
	enc := superjson.NewEncoder(os.Stdout)
	for _, v := range []any{[]byte{1, 2}, time.UnixMilli(0)} {
		if err := enc.Encode(v); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// {"json":[1,2],"meta":{"values":[["typed-array","Uint8Array"]],"v":1}}
	// {"json":"1970-01-01T00:00:00.000Z","meta":{"values":["Date"],"v":1}}
}
