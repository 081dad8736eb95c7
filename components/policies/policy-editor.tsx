"use client";
import { autocompletion, type CompletionContext, type CompletionResult, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { completionSpace } from "./completion-space.ts";
import { diagnosticsOf, marksField, problemsField, setMarks, setProblems, smallestChange } from "./editor-marks.ts";
import { HIGHLIGHT, THEME } from "./editor-theme.ts";
import type { PolicyProblem } from "./params.ts";

export type CompletionItem = { label: string; kind: string; detail: string; info: string | null; insert: string };

export type PolicyEditorProps = {
	text: string;
	problems: readonly PolicyProblem[];
	/** Lines of the highlighted rule. */
	active: { from: number; to: number } | null;
	/** Lines changed from the active version. */
	changed: readonly number[];
	/** Scrolls a line into view; a new number repeats it. */
	show: { line: number; asked: number } | null;
	readOnly?: boolean;
	onChange: (text: string) => void;
	onLine: (line: number) => void;
	complete: (text: string, offset: number) => Promise<{ from: number; items: readonly CompletionItem[] }>;
};

const KIND: Readonly<Record<string, string>> = { field: "property", value: "constant", name: "variable", function: "function" };

/** The policy as text, with context-aware completion and problems below their lines. */
export function PolicyEditor(props: PolicyEditorProps) {
	const box = useRef<HTMLDivElement>(null);
	const view = useRef<EditorView | null>(null);
	const now = useRef(props);
	useEffect(() => {
		now.current = props;
	});

	// Synchronizes with the editor, which owns its document.
	useEffect(() => {
		if (!box.current) return;
		const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
			const before = context.matchBefore(/[^\s]*$/)?.text ?? "";
			if (!context.explicit && before === "" && !/[:[{,]\s$/.test(context.state.sliceDoc(context.pos - 2, context.pos))) return null;
			const { from, items } = await now.current.complete(context.state.doc.toString(), context.pos).catch(() => ({ from: 0, items: [] }));
			if (items.length === 0) return null;
			const options = items.map(({ label, kind, detail, info, insert }) => {
				return { label, detail, apply: insert, type: KIND[kind] ?? "text", ...(info === null ? {} : { info }) };
			});
			return { from, options, validFor: /^[\w*:.-]*$/ };
		};
		const editor = new EditorView({
			parent: box.current,
			state: EditorState.create({
				doc: now.current.text,
				extensions: [
					lineNumbers(),
					history(),
					indentOnInput(),
					autocompletion({ override: [source], icons: false }),
					tooltips({ tooltipSpace: completionSpace }),
					keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
					yaml(),
					syntaxHighlighting(HIGHLIGHT),
					lintGutter(),
					EditorView.lineWrapping,
					EditorState.readOnly.of(now.current.readOnly ?? false),
					marksField,
					problemsField,
					THEME,
					EditorView.contentAttributes.of({ "aria-label": "Policy YAML", spellcheck: "false", tabindex: "0" }),
					EditorView.updateListener.of((update) => {
						if (update.docChanged && !update.transactions.some((tr) => tr.isUserEvent("form")))
							now.current.onChange(update.state.doc.toString());
						if (update.selectionSet || update.focusChanged) {
							if (update.view.hasFocus) now.current.onLine(update.state.doc.lineAt(update.state.selection.main.head).number);
						}
					}),
				],
			}),
		});
		view.current = editor;
		return () => {
			editor.destroy();
			view.current = null;
		};
	}, []);
	const { text, problems, active, changed, show } = props;
	useEffect(() => {
		const editor = view.current;
		const change = editor && smallestChange(editor.state.doc.toString(), text);
		if (editor && change) editor.dispatch({ changes: change, userEvent: "form" });
	}, [text]);
	useEffect(() => {
		const editor = view.current;
		if (!editor) return;
		editor.dispatch({ effects: setProblems.of(problems) });
		editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
	}, [problems]);
	const [from, to] = [active?.from ?? 0, active?.to ?? 0];
	useEffect(() => {
		view.current?.dispatch({ effects: setMarks.of({ active: from > 0 ? { from, to } : null, changed }) });
	}, [from, to, changed]);
	useEffect(() => {
		const editor = view.current;
		if (!editor || !show || show.line > editor.state.doc.lines) return;
		editor.dispatch({ effects: EditorView.scrollIntoView(editor.state.doc.line(show.line).from, { y: "center" }) });
	}, [show]);
	return <div ref={box} className="min-h-0 flex-1 overflow-auto [&>.cm-editor]:min-h-full" />;
}
