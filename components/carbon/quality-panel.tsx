"use client";
import type { ReactNode } from "react";
import { prepareQuality } from "#components/carbon/prepare-quality.ts";
import type { CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** What stands behind the figures, as shares. */
export function QualityPanel({ view }: { view: CarbonView }) {
	const rows = prepareQuality(useCarbon(view).page.groups.totals);
	return (
		<div className="min-w-0 pb-2">
			<PanelHeader title="How good these figures are" />
			<Table aria-label="How good these figures are" stacks={false}>
				<thead>
					<tr>
						<Th>Kind</Th>
						<Th>What</Th>
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

/** How the figures are made, with the places' own factors. */
export function MethodPanel({ view }: { view: CarbonView }) {
	const { places } = useCarbon(view).page.grid;
	const pues = places.flatMap((place) =>
		place.hadWork && place.pue !== null ? [{ name: place.region || place.name, pue: place.pue }] : [],
	);
	return (
		<div className="min-w-0 pb-2">
			<PanelHeader title="How they are made" />
			<dl className="px-4">
				<Line term="In use">GPU power × PUE × the grid's intensity of that hour, or its average of a year; location-based.</Line>
				<Line term="GPU power">
					Measured where a meter is read; else from idle to full power by its load, and full power where the load is not known: an upper
					estimate.
				</Line>
				<Line term="Cooling">
					{pues.length === 0 ? "No place had work." : `PUE ${pues.map(({ name, pue }) => `${pue} ${name}`).join(", ")}`}
				</Line>
				<Line term="By contract">
					Market-based: the rate card's g/kWh of the power bought for a pool. Clouds' contracts are not on record.
				</Line>
				<Line term="Manufacture">
					Spread evenly over each machine's life, idle hours included, and shared by GPUs; makers' figures and studies.
				</Line>
				<Line term="Late figures">Charges keep the intensity they were written with.</Line>
				<Line term="Not counted">Networks, storage, people, certificates and offsets.</Line>
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
