/** What newcomers ask first, and the answers of the first chatbot. */
export const firstQuestions: readonly { question: string; answer: string }[] = [
  {
    question: 'What is Causeway?',
    answer: `Causeway is a chatbot for Slack and Discord. It answers questions from your own documents and web pages, in the threads where people already work, and lists the sources of each answer.`,
  },
  {
    question: 'What is this?',
    answer: `This is Causeway, a chatbot for Slack and Discord that answers questions from your own documents and web pages. Without tokens, it runs in a simulated workspace, where you can try everything: ask a question, add a file, and ask about it.`,
  },
  {
    question: 'Who are you?',
    answer: `I’m Causeway, a chatbot. I answer questions from the documents and web pages that I’ve been taught, and I list my sources below each answer. I’m not a person: if I don’t find an answer, I say so.`,
  },
  {
    question: 'What can you do?',
    answer: `I answer questions in channels, threads and direct messages, and I list the sources of each answer. You can:

- ask me a question: mention me, or write to me directly
- ask further in the thread of an answer
- teach me something new: files with \`/source upload\`, web pages with \`/source url\`
- see every command with \`/help\`

In Slack, \`/causeway\` comes first, as in \`/causeway source upload\`.`,
  },
  {
    question: 'How can you help me?',
    answer: `Ask me anything that my sources cover, and I’ll answer with the passages I found it in. Teach me your own documents with \`/source upload\` (in Slack \`/causeway source upload\`), and I’ll answer from them too. \`/help\` lists all commands.`,
  },
  {
    question: 'Which files can I add?',
    answer: `PDF, Word (.docx), Excel (.xlsx), PowerPoint (.pptx), OpenDocument, EPUB, RTF, HTML, Markdown, plain text, CSV, JSON and e-mails (.eml), each up to 25 MB unless the operator has set another limit. Scanned pages need text recognition (OCR) first.`,
  },
];
