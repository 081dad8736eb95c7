"use client";
import type { ReactNode } from "react";
import { prepareQuality } from "#components/carbon/prepare-quality.ts";
import type { CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Data quality as shares. */
export function QualityPanel({ view }: { view: CarbonView }) {
	const rows = prepareQuality(useCarbon(view).page.groups.totals);
	return (
		<div className="min-w-0 pb-2">
			<PanelHeader title="Data quality" />
			<Table aria-label="Data quality" stacks={false}>
				<thead>
					<tr>
						<Th>Type</Th>
						<Th>Basis</Th>
						<Th n>Share</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<Tr key={row.id}>
							<Td className={row.gap ? "font-strong text-warn-ink" : "font-strong"}>{row.kind}</Td>
							<Td className="py-1 whitespace-normal! text-ink-2">{row.what}</Td>
							<Td n>{formatPercent(row.share)}</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</div>
	);
}

/** Method, with each location's factors. */
export function MethodPanel({ view }: { view: CarbonView }) {
	const { places } = useCarbon(view).page.grid;
	const pues = places.flatMap((place) =>
		place.hadWork && place.pue !== null ? [{ name: place.region || place.name, pue: place.pue }] : [],
	);
	return (
		<div className="min-w-0 pb-2">
			<PanelHeader title="Method" />
			<dl className="px-4">
				<Line term="Operational">GPU power × PUE × hourly grid intensity (or its yearly average); location-based.</Line>
				<Line term="GPU power">
					Measured if metered. Otherwise interpolated from idle to full power by load; full power if the load is unknown (upper bound).
				</Line>
				<Line term="Cooling">
					{pues.length === 0 ? "No location had jobs." : `PUE ${pues.map(({ name, pue }) => `${pue} ${name}`).join(", ")}`}
				</Line>
				<Line term="Market-based">The pool's contracted g/kWh from its rate card. Cloud contracts are not available.</Line>
				<Line term="Embodied">
					Spread evenly over the machine's lifetime, idle hours included, and divided by its GPUs. Sources: manufacturers and studies.
				</Line>
				<Line term="Late data">Charges keep the intensity they were recorded with.</Line>
				<Line term="Excluded">Networks, storage, people, certificates and offsets.</Line>
			</dl>
		</div>
	);
}

function Line({ term, children }: { term: string; children: ReactNode }) {
	return (
		<div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3 hairline-b py-2 last:border-b-0">
			<dt className="font-strong">{term}</dt>
			<dd className="text-pretty text-ink-2">{children}</dd>
		</div>
	);
}
