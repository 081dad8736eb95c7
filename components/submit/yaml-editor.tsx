"use client";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { FieldProblem } from "#server/kernel/errors.ts";

export type YamlEditorProps = {
	text: string;
	problems: readonly FieldProblem[];
	/** Line of the focused form field. */
	activeLine: number | null;
	onChange: (text: string) => void;
	/** Cursor of the plain field it replaces; null if that was not focused. */
	focusAt: number | null;
};

const HIGHLIGHT = HighlightStyle.define([
	{ tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
	{ tag: tags.comment, color: "var(--ink-3)" },
	{ tag: [tags.string, tags.content], color: "var(--ink)" },
	{ tag: [tags.punctuation, tags.separator, tags.bracket, tags.squareBracket, tags.brace], color: "var(--ink-2)" },
]);

const THEME = EditorView.theme({
	"&": { backgroundColor: "var(--sunken)", color: "var(--ink)", fontSize: "12px", height: "100%" },
	"&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
	".cm-scroller": { fontFamily: "var(--font-jetbrains-mono), monospace", lineHeight: "22px", fontVariantLigatures: "none" },
	".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
	".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "0", paddingLeft: "6px" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
		backgroundColor: "color-mix(in oklab, var(--accent) 26%, transparent)",
	},
	".cm-line.spw-active": { backgroundColor: "color-mix(in oklab, var(--accent) 7%, transparent)", boxShadow: "inset 2px 0 var(--accent)" },
	".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "7px" },
	".cm-diagnostic-error": { borderLeftColor: "var(--risk)" },
	".cm-lintRange-error": {
		backgroundImage: "none",
		textDecoration: "underline wavy var(--risk)",
		textDecorationSkipInk: "none",
		textUnderlineOffset: "3px",
	},
	".cm-lint-marker-error": {
		content: '""',
		width: "8px",
		height: "8px",
		transform: "rotate(45deg)",
		backgroundColor: "var(--risk)",
		marginTop: "7px",
	},
});

const markLine = StateEffect.define<number | null>();
const activeLineField = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (marks, tr) => {
		for (const effect of tr.effects) {
			if (!effect.is(markLine)) continue;
			if (effect.value === null || effect.value > tr.state.doc.lines) return Decoration.none;
			return Decoration.set([Decoration.line({ class: "spw-active" }).range(tr.state.doc.line(effect.value).from)]);
		}
		return marks.map(tr.changes);
	},
	provide: (field) => EditorView.decorations.from(field),
});

/** YAML editor that shows problems below their lines. */
export function YamlEditor({ text, problems, activeLine, onChange, focusAt }: YamlEditorProps) {
	const box = useRef<HTMLDivElement>(null);
	const view = useRef<EditorView | null>(null);
	const say = useRef(onChange);
	const first = useRef({ text, focusAt });
	useEffect(() => {
		say.current = onChange;
	});

	// Synchronizes with the editor, which owns its document.
	useEffect(() => {
		if (!box.current) return;
		const editor = new EditorView({
			parent: box.current,
			state: EditorState.create({
				doc: first.current.text,
				extensions: [
					lineNumbers(),
					history(),
					indentOnInput(),
					keymap.of([...defaultKeymap, ...historyKeymap]),
					yaml(),
					syntaxHighlighting(HIGHLIGHT),
					lintGutter(),
					EditorView.lineWrapping,
					activeLineField,
					THEME,
					EditorView.contentAttributes.of({ "aria-label": "Job YAML", spellcheck: "false", tabindex: "0" }),
					EditorView.updateListener.of((update) => {
						if (update.docChanged && !update.transactions.some((tr) => tr.isUserEvent("form"))) say.current(update.state.doc.toString());
					}),
				],
			}),
		});
		view.current = editor;
		const at = first.current.focusAt;
		if (at !== null) {
			editor.dispatch({ selection: { anchor: Math.min(at, editor.state.doc.length) } });
			editor.focus();
		}
		return () => {
			editor.destroy();
			view.current = null;
		};
	}, []);
	useEffect(() => {
		const editor = view.current;
		const change = editor && smallestChange(editor.state.doc.toString(), text);
		if (editor && change) editor.dispatch({ changes: change, userEvent: "form" });
	}, [text]);
	useEffect(() => {
		const editor = view.current;
		if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
	}, [problems]);
	useEffect(() => {
		view.current?.dispatch({ effects: markLine.of(activeLine) });
	}, [activeLine]);
	return <div ref={box} className="min-h-0 flex-1 overflow-auto [&>.cm-editor]:min-h-full" />;
}

/** Replaces only the text between the common prefix and suffix, so that the cursor stays. */
function smallestChange(before: string, after: string): { from: number; to: number; insert: string } | null {
	if (before === after) return null;
	const most = Math.min(before.length, after.length);
	let from = 0;
	while (from < most && before[from] === after[from]) from += 1;
	let same = 0;
	while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
	return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

function diagnosticsOf(doc: Text, problems: readonly FieldProblem[]): Diagnostic[] {
	return problems.map((problem) => {
		const line = doc.line(Math.min(doc.lines, Math.max(1, problem.line ?? 1)));
		const from = Math.min(line.to, line.from + Math.max(0, (problem.column ?? 1) - 1));
		const word = /^[^\s,[\]{}#]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0;
		const to = Math.max(from, Math.min(line.to, from + word));
		return { from, to, severity: "error" as const, message: `${problem.path ? `${problem.path}: ` : ""}${problem.message}` };
	});
}
