"use client";
import { Menu } from "#components/ui/menu.tsx";
import { Panel } from "#components/ui/panel.tsx";
import type { Entry, ListName, Outline } from "#server/domain/policy-entries.ts";
import type { FieldPath, FieldValue } from "./edit-field.ts";
import { EntryCard } from "./entry-card.tsx";
import { NEW_ENTRIES, type NewEntry } from "./new-entries.ts";
import type { PolicyProblem, Sentence } from "./params.ts";
import { WeightsCard } from "./weights-card.tsx";

export type CardsActions = {
	onOpen: (key: string | null) => void;
	onEdit: (path: FieldPath, value: FieldValue | undefined) => void;
	onMove: (list: ListName, index: number, by: -1 | 1) => void;
	onDuplicate: (list: ListName, index: number) => void;
	onRemove: (list: ListName, entry: Entry) => void;
	onAdd: (entry: NewEntry) => void;
};

type CardsPanelProps = CardsActions & {
	outline: Outline | null;
	readable: boolean;
	/** `rules:0`, `budgets:1`: the expanded card. */
	open: string | null;
	/** The cursor's line. */
	line: number | null;
	problems: readonly PolicyProblem[];
	changed: readonly number[];
	summary: string;
	sentenceOf: (key: string, text: string) => Sentence | null;
};

const TITLES = { rules: "Rules, evaluated top to bottom", budgets: "Budgets" } as const;

/** The draft's rules and budgets as cards, in YAML order. */
export function CardsPanel(props: CardsPanelProps) {
	const { outline, readable, summary, onAdd } = props;
	return (
		<Panel
			title="Rules"
			sub={summary}
			actions={
				<Menu
					label="Add"
					name="Add a rule or a budget"
					size="sm"
					align="end"
					entries={[
						{ kind: "heading", id: "rules", label: "Add a rule" },
						...NEW_ENTRIES.filter((e) => e.list === "rules").map((e) => addItem(e, onAdd)),
						{ kind: "line", id: "line" },
						{ kind: "heading", id: "budgets", label: "Add a budget" },
						...NEW_ENTRIES.filter((e) => e.list === "budgets").map((e) => addItem(e, onAdd)),
					]}
				/>
			}
		>
			{!readable && (
				<p role="status" className="mx-4 mb-3 rounded-md bg-risk-soft px-3 py-2 text-risk-ink">
					Invalid YAML{props.problems[0] ? ` at line ${props.problems[0].line}` : ""}. Fix it to use the cards.
				</p>
			)}
			<fieldset disabled={!readable} className="contents">
				<legend className="sr-only">Policy as cards</legend>
				{outline && (["rules", "budgets"] as const).map((list) => <Group key={list} list={list} {...props} entries={outline[list]} />)}
				{outline && <WeightsCard spec={outline.spec} onEdit={props.onEdit} />}
			</fieldset>
		</Panel>
	);
}

const addItem = (entry: NewEntry, onAdd: (entry: NewEntry) => void) =>
	({ kind: "item", id: entry.kind, label: entry.label, hint: entry.hint, onSelect: () => onAdd(entry) }) as const;

function Group({ list, entries, ...props }: CardsPanelProps & { list: ListName; entries: readonly Entry[] }) {
	return (
		<>
			<p className="border-y bg-sunken px-4 py-1.75 text-xs font-strong text-ink-3">{TITLES[list]}</p>
			{entries.length === 0 && (
				<p className="px-4 py-3 text-ink-3">
					{list === "rules" ? "No rules. Without a burst rule, all jobs stay on owned GPUs." : "No budgets. Cloud spend has no cap."}
				</p>
			)}
			<ul aria-label={list === "rules" ? "Rules" : "Budgets"}>
				{entries.map((entry) => {
					const key = `${list}:${entry.index}`;
					const { from, to } = entry.lines;
					const inside = (n: number) => from <= n && n <= to;
					return (
						<EntryCard
							key={key}
							list={list}
							entry={entry}
							count={entries.length}
							sentence={props.sentenceOf(`${list}:${entry.id}`, entry.text)}
							problems={props.problems.filter((p) => inside(p.line))}
							open={props.open === key}
							marked={props.line !== null && inside(props.line)}
							changed={props.changed.some(inside)}
							onOpen={(open) => props.onOpen(open ? key : null)}
							onEdit={(path, value) => props.onEdit(["spec", list, entry.index, ...path], value)}
							onMove={(by) => props.onMove(list, entry.index, by)}
							onDuplicate={() => props.onDuplicate(list, entry.index)}
							onRemove={() => props.onRemove(list, entry)}
						/>
					);
				})}
			</ul>
		</>
	);
}
