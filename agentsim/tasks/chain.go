package tasks

import (
	"context"
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
		Verify: func(_ context.Context, answer string, _ *os.Root) (bool, string) {
			return inOrder(answer, "amber", "falcon", "granite", "harbour", "willow"), "the key is amber falcon granite harbour willow"
		},
		paths: []path{
			{name: "straight", right: true, turns: []simmodel.Play{
				say(30, "", read("start.txt")),
				say(40, "", read("notes/n07.md"), read("notes/index.md")),
				say(40, "The mill, not the quarry.", read("notes/n11.md")),
				say(40, "Eleven less nine is two.", read("notes/n02.md")),
				say(30, "The bridge's note is the third.", read("notes/n03.md")),
				say(30, "The key is: amber falcon granite harbour willow."),
			}},
			{name: "takes the old reference", odds: wrongHard, turns: []simmodel.Play{
				say(40, "", read("start.txt")),
				say(40, "", read("notes/n07.md"), read("notes/index.md")),
				say(40, "The quarry is next.", read("notes/n05.md")),
				say(40, "", read("notes/n03.md")),
				say(40, "The key is: amber falcon marble willow amber."),
			}},
			{name: "goes to the quarry and comes back", odds: hastyHard, right: true, turns: []simmodel.Play{
				say(30, "I begin with the file that was named, and look what else there is in the folder of the notes.",
					read("start.txt"), use("list_files", with{"path": "notes"})),
				say(30, "Amber is the first word. There are only six files, so I read all of them at once.", read("notes/index.md"), read("notes/n02.md"),
					read("notes/n03.md"), read("notes/n05.md"), read("notes/n07.md"), read("notes/n11.md")),
				say(30, "Falcon is the second. The quarry's note has the third and sends me to the note of the bridge, which I look at again.",
					read("notes/n05.md"), read("notes/n03.md")),
				say(30, "That gives marble, willow and amber. But amber is there twice, and the reference was said to be out of date. I go back to the "+
					"lighthouse and the mill.", read("notes/n07.md"), read("notes/n11.md")),
				say(30, "Granite is the third word of the key. The number of that note is eleven, and eleven less nine is two, so the fourth word "+
					"is in the second note.",
					read("notes/n02.md")),
				say(30, "Harbour is the fourth. The fifth is the word that the note of the bridge calls its fourth, so I read that once more.",
					read("notes/n03.md"), read("notes/index.md")),
				say(30, "That would be willow. I list all words of all notes once to see that none is missing and none was read wrongly.",
					use("search_text", with{"pattern": "word: ", "path": "notes"})),
				say(40, "The five words of the key are, in order: amber, falcon, granite, harbour, willow."),
			}},
			{name: "lists the words again", odds: secondLook, right: true, turns: []simmodel.Play{
				say(30, "", read("start.txt")),
				say(40, "", read("notes/n07.md"), read("notes/index.md")),
				say(40, "The mill, not the quarry.", read("notes/n11.md")),
				say(40, "Eleven less nine is two.", read("notes/n02.md"), read("notes/n03.md")),
				say(50, "I make sure that no word was missed.", use("search_text", with{"pattern": "word: ", "path": "notes"})),
				say(40, "The key is: amber falcon granite harbour willow."),
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
