package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	box := newBox(t, map[string]string{
		"a.txt": "one\ntwo\nthree\n", "sub/b.txt": "b", "empty.txt": "", "image.png": "\x89PNG\x00", "latin.txt": "caf\xe9",
	})
	runCases(t, ReadFile(box), []toolCase{
		{name: "a file is returned whole", args: `{"path":"a.txt"}`, want: "one\ntwo\nthree\n"},
		{name: "a path may begin with a slash or a dot", args: `{"path":"/sub/./b.txt"}`, want: "b"},
		{name: "lines are counted from 1", args: `{"path":"a.txt","from":2,"lines":1}`, want: "two\n"},
		{name: "lines beyond the end are not missed", args: `{"path":"a.txt","from":3,"lines":10}`, want: "three\n"},
		{name: "a start beyond the end is said", args: `{"path":"a.txt","from":4}`, wrong: `"a.txt" has only 3 lines`},
		{name: "an empty file is empty", args: `{"path":"empty.txt"}`, want: ""},
		{name: "a missing file shows what there is", args: `{"path":"b.txt"}`, wrong: `no file "b.txt"; the folder holds: a.txt, empty.txt, image.png, latin.txt, sub/`},
		{name: "a missing file in a folder shows that folder", args: `{"path":"sub/c.txt"}`, wrong: `"sub" holds: b.txt`},
		{name: "a missing folder shows the one above", args: `{"path":"no/such/c.txt"}`, wrong: `the folder holds: a.txt`},
		{name: "a folder is not a file", args: `{"path":"sub"}`, wrong: `"sub" is a folder; "sub" holds: b.txt`},
		{name: "bytes that are not text are refused", args: `{"path":"image.png"}`, wrong: "is not text"},
		{name: "another encoding is refused", args: `{"path":"latin.txt"}`, wrong: "is not text"},
		{name: "outside is outside", args: `{"path":"../x"}`, wrong: `"../x" is outside the working folder`},
	})
}

func TestListFiles(t *testing.T) {
	box := newBox(t, map[string]string{"b.txt": "12345", "sub/deep/c.txt": "1", "a.txt": ""})
	runCases(t, ListFiles(box), []toolCase{
		{name: "the working folder by default", args: `{}`, want: "a.txt  0\nb.txt  5\nsub/\n"},
		{name: "a folder below", args: `{"path":"sub"}`, want: "sub/deep/\n"},
		{name: "everything below", args: `{"recursive":true}`, want: "a.txt  0\nb.txt  5\nsub/\nsub/deep/\nsub/deep/c.txt  1\n"},
		{name: "a file is not a folder", args: `{"path":"a.txt"}`, wrong: `"a.txt" is a file; read it with read_file`},
		{name: "a missing folder shows what there is", args: `{"path":"src"}`, wrong: `no file "src"; the folder holds: a.txt, b.txt, sub/`},
	})
	t.Run("an empty folder is said to be", func(t *testing.T) {
		runCases(t, ListFiles(newBox(t, nil)), []toolCase{{name: "empty", args: `{}`, want: "the folder is empty"}})
	})
	t.Run("a long list is cut with a note", func(t *testing.T) {
		files := map[string]string{}
		for i := range 500 {
			files[fmt.Sprintf("file-%03d.txt", i)] = ""
		}
		box := newBox(t, files)
		box.Output = 200
		got, err := ListFiles(box).Call(t.Context(), nil)
		if err != nil || !strings.HasPrefix(got, "file-000.txt  0\n") || !strings.Contains(got, "[cut after") || len(got) > 300 {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestSearchText(t *testing.T) {
	box := newBox(t, map[string]string{
		"a.txt": "Alpha\nbeta (1)\n", "sub/b.txt": "gamma alpha\n", "bin": "alpha\x00",
		"long.txt": strings.Repeat("x", 300) + "needle" + "\n",
	})
	runCases(t, SearchText(box), []toolCase{
		{name: "a text is found with file and line", args: `{"pattern":"alpha"}`, want: "sub/b.txt:1: gamma alpha\n"},
		{name: "case can be ignored", args: `{"pattern":"alpha","ignore_case":true}`, want: "a.txt:1: Alpha\nsub/b.txt:1: gamma alpha\n"},
		{name: "a text is not a pattern unless it says so", args: `{"pattern":"(1)"}`, want: "a.txt:2: beta (1)\n"},
		{name: "a pattern is a regular expression", args: `{"pattern":"^b.*\\d","regexp":true}`, want: "a.txt:2: beta (1)\n"},
		{name: "one file can be searched", args: `{"pattern":"alpha","path":"a.txt","ignore_case":true}`, want: "a.txt:1: Alpha\n"},
		{name: "no match is said, with what was searched", args: `{"pattern":"delta","path":"sub"}`, want: "no match in 1 files"},
		{name: "a long line is shortened", args: `{"pattern":"needle"}`, want: "long.txt:1: " + strings.Repeat("x", 240) + " …\n"},
		{name: "a broken pattern is explained", args: `{"pattern":"(","regexp":true}`, wrong: "missing closing )"},
		{name: "a missing folder shows what there is", args: `{"pattern":"x","path":"src"}`, wrong: "the folder holds: a.txt"},
	})
}

func TestWriteFile(t *testing.T) {
	box := newBox(t, map[string]string{"a.txt": "old and long", "sub/b.txt": ""})
	runCases(t, WriteFile(box), []toolCase{
		{name: "a file is replaced whole", args: `{"path":"a.txt","content":"new"}`, want: "wrote 3 bytes to a.txt"},
		{name: "folders are made", args: `{"path":"x/y/z.txt","content":"deep"}`, want: "wrote 4 bytes to x/y/z.txt"},
		{name: "a folder is not overwritten", args: `{"path":"sub","content":"x"}`, wrong: `"sub" is not a file`},
		{name: "content must be given", args: `{"path":"a.txt"}`, wrong: `"content" is missing`},
		{name: "outside is outside", args: `{"path":"../a.txt","content":"x"}`, wrong: "outside the working folder"},
	})
	for name, want := range map[string]string{"a.txt": "new", "x/y/z.txt": "deep"} {
		if got, err := box.Root.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestQueryJSON(t *testing.T) {
	box := newBox(t, map[string]string{
		"a.json": `{"server":{"port":8080},"users":[{"name":"ann","age":41},{"name":"bob","age":7}],"nil":null}`,
		"l.json": `[1,2]`, "bad.json": `{"a":}`,
	})
	runCases(t, QueryJSON(box), []toolCase{
		{name: "a path leads to a value", args: `{"path":"a.json","query":"server.port"}`, want: "8080"},
		{name: "a list can be counted", args: `{"path":"a.json","query":"users.#"}`, want: "2"},
		{name: "a list can be filtered", args: `{"path":"a.json","query":"users.#(age>40)#.name"}`, want: `["ann"]`},
		{name: "null is a value", args: `{"path":"a.json","query":"nil"}`, want: "null"},
		{name: "the keys can be asked for", args: `{"path":"a.json","query":"@keys"}`, want: `["server","users","nil"]`},
		{name: "nothing found shows the keys", args: `{"path":"a.json","query":"port"}`, wrong: `nothing at "port" in a.json; its top keys are: server, users, nil`},
		{name: "a list says that it is one", args: `{"path":"l.json","query":"a"}`, wrong: "the document is a list of 2"},
		{name: "broken JSON says where", args: `{"path":"bad.json","query":"a"}`, wrong: "invalid character '}'"},
	})
}

func TestQueryCSV(t *testing.T) {
	box := newBox(t, map[string]string{
		"s.csv":   "\uFEFFid,region,amount,note\n1,north,10.10,a\n2,south,0.20,\"b, c\"\n3,north,,d\n4,north,-3,e\n5,east,1e3,f\n",
		"bad.csv": "a,b\n1\n", "none.csv": "",
	})
	runCases(t, QueryCSV(box), []toolCase{
		{name: "columns are shown, quoted where they must be", args: `{"path":"s.csv","select":["id","note"],"where":[{"column":"region","op":"=","value":"south"}]}`, want: "id,note\n2,\"b, c\"\n(1 of 1 rows that match)\n"},
		{name: "a limit says how many there are", args: `{"path":"s.csv","select":["id"],"limit":2}`, want: "id\n1\n2\n(2 of 5 rows that match)\n"},
		{name: "numbers compare as numbers", args: `{"path":"s.csv","select":["id"],"where":[{"column":"amount","op":">","value":"9"},{"column":"id","op":"<","value":"5"}]}`, want: "id\n1\n(1 of 1 rows that match)\n"},
		{name: "a sum is exact and says what was empty", args: `{"path":"s.csv","aggregate":[{"op":"sum","column":"amount"},{"op":"count"}],"where":[{"column":"region","op":"!=","value":"east"}]}`, want: "sum(amount),count\n7.3,4\n(1 empty cells left out)\n"},
		{name: "groups come in order", args: `{"path":"s.csv","group_by":["region"],"aggregate":[{"op":"count"},{"op":"min","column":"id"},{"op":"max","column":"id"},{"op":"avg","column":"id"}]}`, want: "region,count,min(id),max(id),avg(id)\neast,1,5,5,5\nnorth,3,1,4,2.6666666667\nsouth,1,2,2,2\n"},
		{name: "text can be searched", args: `{"path":"s.csv","select":["id"],"where":[{"column":"note","op":"contains","value":","}]}`, want: "id\n2\n(1 of 1 rows that match)\n"},
		{name: "no rows sum to nothing", args: `{"path":"s.csv","aggregate":[{"op":"sum","column":"amount"}],"where":[{"column":"id","op":"=","value":"9"}]}`, want: "sum(amount)\n0\n"},
		{name: "a cell that is no number is named by its line", args: `{"path":"s.csv","aggregate":[{"op":"sum","column":"amount"}]}`, wrong: `s.csv: line 6: amount is "1e3", not a number`},
		{name: "an unknown column shows the columns", args: `{"path":"s.csv","select":["price"]}`, wrong: `no column "price"; the columns are: id, region, amount, note`},
		{name: "an unknown column in a condition too", args: `{"path":"none.csv","where":[{"column":"x","op":"=","value":""}]}`, wrong: "no header line"},
		{name: "an unknown operator shows the list", args: `{"path":"s.csv","where":[{"column":"id","op":"==","value":"1"}]}`, wrong: `where[0].op must be one of`},
		{name: "a group needs something to compute", args: `{"path":"s.csv","group_by":["region"]}`, wrong: "group_by needs an aggregate"},
		{name: "a broken row is named by its line", args: `{"path":"bad.csv"}`, wrong: "line 2: wrong number of fields"},
	})
}

func FuzzQueryCSVNeverPanics(f *testing.F) {
	f.Add("a,b\n1,2\n", `{"path":"f.csv","aggregate":[{"op":"sum","column":"a"}],"group_by":["b"]}`)
	f.Add("a\n\"", `{"path":"f.csv"}`)
	f.Add("a\n.\n-\n+-1\n", `{"path":"f.csv","aggregate":[{"op":"avg","column":"a"}]}`)
	f.Fuzz(func(t *testing.T, content, args string) {
		var q csvQuery
		if json.Unmarshal([]byte(args), &q) != nil {
			return
		}
		_, _ = q.run(t.Context(), []byte(content))
	})
}
