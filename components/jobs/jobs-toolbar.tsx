"use client";
import { useQueryStates } from "nuqs";
import { type ReactNode, useRef } from "react";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { SearchInput } from "#components/ui/input.tsx";
import { JOB_STATES, type JobState } from "#server/domain/states.ts";
import { LABELS, WORKLOAD_CLASSES, type WorkloadClass } from "#server/domain/vocabulary.ts";
import { FilterMenu } from "../data-table/filter-menu.tsx";
import { FacetCount } from "./facet-count.tsx";
import { jobSearchParams } from "./search-params.ts";

const TYPING_MS = 250;

/** List filters, stored in the URL. */
export function JobsToolbar({ end }: { end: ReactNode }) {
	const trpc = useTRPC();
	const [search, setSearch] = useQueryStates(jobSearchParams);
	const { data: teams } = useSuspenseQuery(trpc.team.names.queryOptions());
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const places = [
		...(search.view === "cloud" ? [] : [{ id: "cloud", label: "any cloud" }]),
		...sites.filter((s) => search.view !== "cloud" || s.kind === "cloud").map((s) => ({ id: s.id, label: s.id })),
	];
	return (
		<search className="flex flex-wrap items-center gap-2 bg-bg px-4 py-3 md:px-6">
			{/** A key resets the field when the search is cleared or comes from a link; until then the field owns its text. */}
			<TextFilter key={`${search.view} ${search.saved}`} text={search.q} onChange={(q) => void setSearch({ q: q || null })} />
			{search.view !== "failed" && (
				<FilterMenu
					label="State"
					options={JOB_STATES.map((id) => ({ id, label: id }))}
					chosen={search.state}
					hintOf={(id) => <FacetCount facet="state" id={id} />}
					onChange={(state) => void setSearch({ state: state as JobState[] })}
				/>
			)}
			<FilterMenu
				label="Team"
				options={teams.map((id) => ({ id, label: id }))}
				chosen={search.team}
				hintOf={(id) => <FacetCount facet="team" id={id} />}
				onChange={(team) => void setSearch({ team })}
			/>
			<FilterMenu
				label="Place"
				single
				options={places}
				hintOf={(id) => id !== "cloud" && <FacetCount facet="site" id={id} />}
				chosen={search.site ? [search.site] : []}
				onChange={([site]) => void setSearch({ site: site ?? null })}
			/>
			<FilterMenu
				label="Class"
				options={WORKLOAD_CLASSES.map((id) => ({ id, label: LABELS[id] }))}
				chosen={search.class}
				hintOf={(id) => <FacetCount facet="class" id={id} />}
				onChange={(value) => void setSearch({ class: value as WorkloadClass[] })}
			/>
			<div className="ml-auto flex items-center gap-1 max-md:hidden">{end}</div>
		</search>
	);
}

function TextFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
	const field = useRef<HTMLInputElement>(null);
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
	const typed = useRef(text);
	if (field.current && typed.current !== text && document.activeElement !== field.current) {
		typed.current = text;
		field.current.value = text;
	}
	const say = (value: string) => {
		clearTimeout(timer.current);
		typed.current = value;
		onChange(value.trim());
	};
	return (
		<SearchInput
			ref={field}
			label="Name or ID"
			className="w-full md:w-56"
			defaultValue={text}
			onChange={(event) => {
				const { value } = event.currentTarget;
				clearTimeout(timer.current);
				timer.current = setTimeout(() => say(value), TYPING_MS);
			}}
			onKeyDown={(event) => {
				if (event.key === "Enter") say(event.currentTarget.value);
				if (event.key !== "Escape") return;
				event.currentTarget.value = "";
				say("");
			}}
		/>
	);
}
