package tasks

import (
	"os"
	"strings"

	"github.com/seed46266073/longpole/agentsim/simmodel"
)

func referenceChain() Task {
	return Task{
		Name: "reference-chain",
		Prompt: "Find the archive key. It begins in start.txt and goes on in other files; each says where the next part is. Read exactly. Answer " +
			"with the five words in order.",
		Tools: []string{"read_file", "list_files", "search_text"},
		Verify: func(answer string, _ *os.Root) (bool, string) {
			return inOrder(answer, "amber", "falcon", "granite", "harbour", "willow"), "the key is amber falcon granite harbour willow"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(80, "", read("start.txt")),
				say(110, "", read("notes/n07.md"), read("notes/index.md")),
				say(190, "The mill, not the quarry.", read("notes/n11.md")),
				say(170, "Eleven less nine is two.", read("notes/n02.md")),
				say(150, "The bridge's note is the third.", read("notes/n03.md")),
				say(160, "The key is: amber falcon granite harbour willow."),
			}},
			{name: "takes the old reference", odds: wrongHard, turns: []simmodel.Play{
				say(60, "", read("start.txt")),
				say(70, "", read("notes/n07.md"), read("notes/index.md")),
				say(80, "The quarry is next.", read("notes/n05.md")),
				say(70, "", read("notes/n03.md")),
				say(90, "The key is: amber falcon marble willow amber."),
			}},
			{name: "goes to the quarry and comes back", odds: detourUsual, right: true, turns: []simmodel.Play{
				say(60, "", read("start.txt")),
				say(70, "", read("notes/n07.md"), read("notes/index.md")),
				say(90, "I read the quarry's note.", read("notes/n05.md")),
				say(140, "That reference was out of date; the mill is right.", read("notes/n11.md")),
				say(100, "", read("notes/n02.md"), read("notes/n03.md")),
				say(120, "Amber, falcon, granite, harbour, willow."),
			}},
			{name: "lists the words again", odds: secondLook, right: true, turns: []simmodel.Play{
				say(80, "", read("start.txt")),
				say(110, "", read("notes/n07.md"), read("notes/index.md")),
				say(190, "The mill, not the quarry.", read("notes/n11.md")),
				say(170, "Eleven less nine is two.", read("notes/n02.md"), read("notes/n03.md")),
				say(150, "I make sure that no word was missed.", use("search_text", with{"pattern": "word: ", "path": "notes"})),
				say(120, "The key is: amber falcon granite harbour willow."),
			}},
		},
	}
}

// inOrder reports whether the answer has the words in this order, whatever stands between them.
func inOrder(answer string, words ...string) bool {
	rest := strings.ReplaceAll(plainWords(answer), "-", " ")
	for _, w := range words {
		_, after, found := strings.Cut(rest, " "+w+" ")
		if !found {
			return false
		}
		rest = " " + after
	}
	return true
}
