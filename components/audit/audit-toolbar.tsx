"use client";
import { useQueryStates } from "nuqs";
import { useRef } from "react";
import { Input, SearchInput, Select } from "#components/ui/input.tsx";
import { auditSearchParams, isFiltered, NO_FILTERS } from "./search-params.ts";

const TYPING_MS = 250;
const WHO = [
	{ value: "", label: "Everyone" },
	{ value: "account:", label: "People and tokens" },
	{ value: "system", label: "Scheduler" },
];
const AREAS = [
	...[
		"account",
		"approval",
		"attempt",
		"backtest",
		"bill",
		"budget",
		"carbon",
		"channel",
		"commitments",
		"discounts",
		"instance",
		"job",
		"ledger",
	],
	...["orphan", "policy", "proposal", "rate_card", "shadow", "statement"],
];

/** Audit filters, stored in the URL. */
export function AuditToolbar() {
	const [search, setSearch] = useQueryStates(auditSearchParams);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const areas = [...new Set([...AREAS, ...(search.action === "" ? [] : [search.action])])];
	const who = WHO.some((w) => w.value === search.actor) ? WHO : [...WHO, { value: search.actor, label: search.actor }];
	return (
		<search className="flex flex-wrap items-center gap-2">
			<SearchInput
				key={isFiltered(search) ? "some" : "none"}
				label="Subject, value, request or address"
				className="w-full md:w-72"
				defaultValue={search.q}
				onChange={(event) => {
					const { value } = event.currentTarget;
					clearTimeout(timer.current);
					timer.current = setTimeout(() => void setSearch({ q: value.trim() || null }), TYPING_MS);
				}}
			/>
			<Select aria-label="Who" className="w-44" value={search.actor} onChange={(e) => void setSearch({ actor: e.target.value || null })}>
				{who.map((w) => (
					<option key={w.value} value={w.value}>
						{w.label}
					</option>
				))}
			</Select>
			<Select
				aria-label="Action"
				className="w-36"
				value={search.action}
				onChange={(e) => void setSearch({ action: e.target.value || null })}
			>
				<option value="">All actions</option>
				{areas.map((area) => (
					<option key={area} value={area}>
						{area}
					</option>
				))}
			</Select>
			<label htmlFor="audit-from" className="flex items-center gap-1.5 text-ink-2">
				from
				<Input
					id="audit-from"
					type="date"
					className="w-36"
					value={search.from}
					onChange={(e) => void setSearch({ from: e.target.value || null })}
				/>
			</label>
			<label htmlFor="audit-to" className="flex items-center gap-1.5 text-ink-2">
				to
				<Input
					id="audit-to"
					type="date"
					className="w-36"
					value={search.to}
					onChange={(e) => void setSearch({ to: e.target.value || null })}
				/>
			</label>
			{search.subject !== "" && (
				<span className="inline-flex items-center gap-1.5 font-mono text-xs text-ink-2">subject starts with {search.subject}</span>
			)}
			{isFiltered(search) && (
				<button type="button" className="text-accent hover:underline" onClick={() => void setSearch(NO_FILTERS)}>
					Clear filters
				</button>
			)}
		</search>
	);
}
