import type { Diagnostic } from "@codemirror/lint";
import { StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { PolicyProblem } from "./params.ts";
import { type QuickFix, quickFixes } from "./quick-fixes.ts";

type Marks = { active: { from: number; to: number } | null; changed: readonly number[] };

export const setMarks = StateEffect.define<Marks>();
export const setProblems = StateEffect.define<readonly PolicyProblem[]>();

/** The highlighted rule and new lines. */
export const marksField = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (marks, tr) => {
		const wanted = tr.effects.find((effect) => effect.is(setMarks))?.value as Marks | undefined;
		if (!wanted) return marks.map(tr.changes);
		const { active, changed } = wanted;
		const ranges = [];
		for (let n = active?.from ?? 1; active && n <= Math.min(active.to, tr.state.doc.lines); n++)
			ranges.push(Decoration.line({ class: "spw-active" }).range(tr.state.doc.line(n).from));
		for (const n of changed)
			if (n >= 1 && n <= tr.state.doc.lines) ranges.push(Decoration.line({ class: "spw-changed" }).range(tr.state.doc.line(n).from));
		return Decoration.set(ranges, true);
	},
	provide: (field) => EditorView.decorations.from(field),
});

/** Shows each problem below its line with quick fixes. */
export const problemsField = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update: (marks, tr) => {
		const wanted = tr.effects.find((effect) => effect.is(setProblems))?.value as readonly PolicyProblem[] | undefined;
		if (!wanted) return marks.map(tr.changes);
		const { doc } = tr.state;
		const ranges = wanted.flatMap((problem) => {
			const line = doc.line(Math.min(doc.lines, Math.max(1, problem.line)));
			return [
				Decoration.line({ class: `spw-${problem.severity}` }).range(line.from),
				Decoration.widget({ widget: new ProblemWidget(problem, quickFixes(problem, line.text)), block: true, side: 1 }).range(line.to),
			];
		});
		return Decoration.set(ranges, true);
	},
	provide: (field) => EditorView.decorations.from(field),
});

class ProblemWidget extends WidgetType {
	readonly #problem: PolicyProblem;
	readonly #fixes: readonly QuickFix[];
	constructor(problem: PolicyProblem, fixes: readonly QuickFix[]) {
		super();
		this.#problem = problem;
		this.#fixes = fixes;
	}

	override eq(other: ProblemWidget): boolean {
		return JSON.stringify([this.#problem, this.#fixes]) === JSON.stringify([other.#problem, other.#fixes]);
	}

	override toDOM(view: EditorView): HTMLElement {
		const box = document.createElement("div");
		box.className = "spw-problem";
		box.dataset["severity"] = this.#problem.severity;
		const text = document.createElement("span");
		const what = document.createElement("b");
		what.textContent = this.#problem.message;
		text.append(what);
		if (this.#problem.fix) text.append(` ${this.#problem.fix}`);
		box.append(text);
		for (const fix of this.#fixes) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = fix.label;
			button.addEventListener("click", () => {
				const line = view.state.doc.lineAt(placeOf(view, box));
				view.dispatch({
					changes: { from: line.from + fix.from, to: Math.min(line.to, line.from + fix.to), insert: fix.insert },
					userEvent: "input",
				});
				view.focus();
			});
			box.append(button);
		}
		return box;
	}

	override ignoreEvent(): boolean {
		return true;
	}
}

/** A position in the line above the widget. */
function placeOf(view: EditorView, box: HTMLElement): number {
	return Math.min(view.state.doc.length, Math.max(0, view.posAtDOM(box)));
}

/** Replaces only the text between the common prefix and suffix, so that the cursor stays. */
export function smallestChange(before: string, after: string): { from: number; to: number; insert: string } | null {
	if (before === after) return null;
	const most = Math.min(before.length, after.length);
	let from = 0;
	while (from < most && before[from] === after[from]) from += 1;
	let same = 0;
	while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
	return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

export function diagnosticsOf(doc: Text, problems: readonly PolicyProblem[]): Diagnostic[] {
	return problems.map(({ severity, line: at, column, message, fix }) => {
		const line = doc.line(Math.min(doc.lines, Math.max(1, at)));
		const from = Math.min(line.to, line.from + Math.max(0, column - 1));
		const word = /^[^\s,[\]{}#]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0;
		return { from, to: Math.max(from, Math.min(line.to, from + word)), severity, message: fix ? `${message} ${fix}` : message };
	});
}
