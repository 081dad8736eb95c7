"use client";
import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { FilterMenu } from "#components/data-table/filter-menu.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { useHour } from "#components/spend/use-spend.ts";
import {
	BY_LABEL,
	type ChargesPart,
	chargesHref,
	DIMENSIONS,
	datesOfView,
	isFiltered,
	type SpendView,
	setFilter,
	spendHref,
	spendQuery,
	valueLabel,
} from "#components/spend/view.ts";
import { isDate } from "#components/spend/zone-days.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Inputs, Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";

type FilterBarProps = { view: SpendView; charges?: ChargesPart };

/** Dates, and a chip per dimension with more than one value; all stored in the URL. */
export function FilterBar({ view, charges }: FilterBarProps) {
	const router = useRouter();
	const hour = useHour();
	const { fromMs, toMs } = spendQuery(view, hour);
	const go = (next: SpendView) => {
		const href = charges ? chargesHref({ ...next, ...charges, bills: next.dates === view.dates ? charges.bills : null }) : spendHref(next);
		startTransition(() => router.replace(href, { scroll: false }));
	};
	const chosenOnly = <Chips view={view} options={null} onChange={go} />;
	return (
		<search aria-label="Filters" className="flex flex-wrap items-center gap-2">
			<Dates key={`${fromMs}-${toMs}`} view={view} hour={hour} onChange={go} />
			<PanelGate what="filter values" fallback={chosenOnly} instead={chosenOnly}>
				<ReadChips view={view} range={{ fromMs, toMs }} onChange={go} />
			</PanelGate>
			{isFiltered(view) && (
				<Button variant="link" onClick={() => go({ ...view, filters: {} })}>
					Clear filters
				</Button>
			)}
		</search>
	);
}

type ChipsProps = { view: SpendView; onChange: (next: SpendView) => void };

function ReadChips({ range, ...chips }: ChipsProps & { range: Inputs["spend"]["options"] }) {
	const trpc = useTRPC();
	const { data: options } = useSuspenseQuery(trpc.spend.options.queryOptions(range));
	return <Chips options={options} {...chips} />;
}

/** Selected filters can be cleared even if the available values fail to load. */
function Chips({ view, options, onChange }: ChipsProps & { options: Outputs["spend"]["options"] | null }) {
	const shown = DIMENSIONS.filter((d) => view.filters[d]?.length || (options?.[d].length ?? 0) > 1);
	return shown.map((dimension) => {
		const chosen: readonly string[] = view.filters[dimension] ?? [];
		const values = [...new Set([...(options?.[dimension] ?? []), ...chosen])];
		return (
			<FilterMenu
				key={dimension}
				label={BY_LABEL[dimension]}
				options={values.map((id) => ({ id, label: valueLabel(dimension, id) }))}
				chosen={[...chosen]}
				onChange={(next) => onChange(setFilter(view, dimension, next))}
			/>
		);
	});
}

const FIELD =
	"h-7.5 min-w-0 rounded-lg border border-control bg-panel px-2 text-xs tabular text-ink max-md:flex-1 max-md:text-[1rem] focus-visible:outline-2 focus-visible:outline-focus";

function Dates({ view, hour, onChange }: { view: SpendView; hour: number; onChange: (next: SpendView) => void }) {
	const { from, to } = datesOfView(view, hour);
	return (
		<form
			className="flex items-center gap-1.5 text-xs text-ink-3 max-md:w-full"
			onSubmit={(event) => {
				event.preventDefault();
				const form = new FormData(event.currentTarget);
				const [a, b] = [String(form.get("from")), String(form.get("to"))];
				if (isDate(a) && isDate(b)) onChange({ ...view, dates: a <= b ? { from: a, to: b } : { from: b, to: a } });
			}}
		>
			<input
				type="date"
				name="from"
				aria-label="First day"
				required
				defaultValue={from}
				min="1970-01-01"
				max="2199-12-31"
				className={FIELD}
			/>
			to
			<input type="date" name="to" aria-label="Last day" required defaultValue={to} min="1970-01-01" max="2199-12-31" className={FIELD} />
			<Button type="submit" size="sm">
				Show
			</Button>
		</form>
	);
}
