"use client";
import { type KeyboardEvent, useId } from "react";
import { IconButton } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";
import type { Entry, ListName } from "#server/domain/policy-entries.ts";
import { CardFields } from "./card-fields.tsx";
import type { FieldPath, FieldValue } from "./edit-field.ts";
import type { PolicyProblem, Sentence } from "./params.ts";
import { EFFECT_LABELS, effectOf } from "./rule-fields.ts";
import { SentenceText } from "./sentence-text.tsx";

export type EntryActions = {
	onOpen: (open: boolean) => void;
	onEdit: (path: FieldPath, value: FieldValue | undefined) => void;
	onMove: (by: -1 | 1) => void;
	onDuplicate: () => void;
	onRemove: () => void;
};

type EntryCardProps = EntryActions & {
	list: ListName;
	entry: Entry;
	count: number;
	sentence: Sentence | null;
	problems: readonly PolicyProblem[];
	open: boolean;
	marked: boolean;
	changed: boolean;
};

/** A rule or budget: its sentence, and its fields when expanded. Alt+arrow moves it. */
export function EntryCard({ list, entry, count, sentence, problems, open, marked, changed, ...act }: EntryCardProps) {
	const id = useId();
	const kind = effectOf(entry.value);
	const errors = problems.filter((p) => p.severity === "error");
	const name = entry.id || `${list === "rules" ? "Rule" : "Budget"} ${entry.index + 1}`;
	const keys = (event: KeyboardEvent) => {
		if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
		event.preventDefault();
		const up = event.key === "ArrowUp";
		act.onMove(up ? -1 : 1);
		// Cards stay in place and swap content, so the focus moves along.
		const other = up ? event.currentTarget.previousElementSibling : event.currentTarget.nextElementSibling;
		if (other instanceof HTMLElement) other.querySelector("button")?.focus();
	};
	return (
		<li
			onKeyDown={keys}
			className={cn(
				"hairline-b border-l-2 last:border-b-0",
				errors.length > 0 ? "border-l-risk" : changed ? "border-l-accent" : "border-l-transparent",
				marked && "bg-[color-mix(in_oklab,var(--accent)_6%,var(--panel))]",
			)}
		>
			<h3>
				<button
					type="button"
					aria-expanded={open}
					aria-controls={open ? id : undefined}
					onClick={() => act.onOpen(!open)}
					className="grid w-full gap-x-4 gap-y-0.5 px-4 py-2.75 text-left focus-visible:-outline-offset-2 md:grid-cols-[9.5rem_minmax(0,1fr)_auto]"
				>
					<span className="font-strong [overflow-wrap:anywhere]">{name}</span>
					<span className="font-book text-ink-2">
						{sentence ? (
							<SentenceText sentence={sentence} />
						) : (
							<span className="text-ink-3">{errors.length > 0 ? "Incomplete." : "…"}</span>
						)}
					</span>
					<span className="flex items-center gap-2 self-start text-xs font-book text-ink-3">
						{kind ? EFFECT_LABELS[kind] : list === "budgets" ? "caps" : ""}
						<Icon name={open ? "chevronDown" : "chevronRight"} className="size-3.5" />
					</span>
				</button>
			</h3>
			{problems.map((p) => (
				<p
					key={`${p.line}/${p.column}/${p.message}`}
					className={cn("px-4 pb-2 text-xs text-pretty md:pl-46.5", p.severity === "error" ? "text-risk-ink" : "text-warn-ink")}
				>
					Line {p.line}: {p.message} {p.fix}
				</p>
			))}
			{open && (
				<fieldset id={id} className="grid gap-3 px-4 pt-1 pb-4">
					<legend className="sr-only">{name}</legend>
					<CardFields list={list} entry={entry} onEdit={act.onEdit} />
					<div className="-mx-1.5 -mb-1 flex flex-wrap items-center gap-0.5">
						<IconButton size="sm" icon="arrowUp" label={`Move ${name} up`} disabled={entry.index === 0} onClick={() => act.onMove(-1)} />
						<IconButton
							size="sm"
							icon="arrowDown"
							label={`Move ${name} down`}
							disabled={entry.index === count - 1}
							onClick={() => act.onMove(1)}
						/>
						<IconButton size="sm" icon="copy" label={`Duplicate ${name}`} onClick={act.onDuplicate} />
						<IconButton size="sm" icon="x" label={`Delete ${name}`} onClick={act.onRemove} />
						<span className="ml-auto text-xs text-ink-3">
							{entry.lines.from === entry.lines.to ? `line ${entry.lines.from}` : `lines ${entry.lines.from} to ${entry.lines.to}`}
						</span>
					</div>
				</fieldset>
			)}
		</li>
	);
}
