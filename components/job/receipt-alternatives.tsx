"use client";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { Time } from "#components/time/relative-time.tsx";
import type { JobDetail, ReceiptView } from "#components/trpc/outputs.ts";
import { FILL_CLASS, type MarkFill } from "#components/ui/meter.tsx";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import { RemovalText } from "../job-state/reason-text.tsx";
import { lostOnFailures, spotSaved } from "./receipt-lines.ts";

const WAY = { at_home: "Owned", on_demand: "On-demand", spot: "On spot" } as const;
const FILL: Record<CapacityType, MarkFill> = { owned: "owned", spot: "spot", on_demand: "on_demand", reserved: "reserved" };

/** Estimated cost of the same machine time elsewhere, at decision-time prices. */
export function ReceiptAlternatives({ job, receipt }: { job: JobDetail; receipt: ReceiptView }) {
	const open = job.finishedAt === null;
	const cost = receipt.totals.costMicroUsd;
	const [most = cost] = [cost, ...receipt.alternatives.map((a) => a.costMicroUsd)].toSorted((a, b) => Number(b - a));
	const own = receipt.attempts.at(-1)?.placement.capacityType ?? "owned";
	return (
		<div>
			<Conclusion receipt={receipt} open={open} />
			{receipt.alternatives.length > 0 && (
				<table aria-label="Cost alternatives" className="w-full border-collapse">
					<thead>
						<tr className="text-xs text-ink-3 [&>*]:h-8.5 [&>*]:border-t [&>*]:border-b [&>*]:px-2 [&>*]:font-strong [&>*]:whitespace-nowrap">
							<th scope="col" className="pl-4! text-left">
								Cost alternatives
							</th>
							<th scope="col" className="text-right max-md:hidden">
								Start
							</th>
							<th scope="col" className="text-right max-md:hidden">
								Added cost
							</th>
							<th scope="col" className="text-right max-md:pr-4!">
								Cost
							</th>
							<th scope="col" className="w-28 pr-4! max-md:hidden">
								<span className="sr-only">Difference</span>
							</th>
						</tr>
					</thead>
					<tbody className="[&_td]:h-14 [&_td]:px-2 [&_tr:not(:last-child)>*]:hairline-b">
						<tr>
							<td className="pl-4! font-semibold">
								{open ? "This run so far" : "This run"}
								<Sub>{receipt.attempts.length === 1 ? "1 attempt" : `${receipt.attempts.length} attempts`}</Sub>
							</td>
							<td className="num max-md:hidden">{job.startedAt && <Time atMs={Date.parse(job.startedAt)} form="short" />}</td>
							<td className="num max-md:hidden">
								<Money value={newMoney(receipt)} />
							</td>
							<td className="num font-semibold max-md:pr-4!">
								<Money value={cost} />
							</td>
							<Bar value={cost} most={most} fill={FILL[own]} />
						</tr>
						{receipt.alternatives.map((a) => (
							<tr key={a.way}>
								<td className="pl-4!">
									<span className="font-medium">{WAY[a.way]}</span> <Place {...shownPlace(a.placement)} word={false} quiet />
									<Sub>
										{a.removedBy ? <RemovalText removal={a.removedBy} /> : "Was eligible."}
										{a.way !== "at_home" && a.storageMicroUsd === null && " Excludes its disk (price unknown)."}
									</Sub>
								</td>
								<td className="num text-ink-2 max-md:hidden">
									<Time atMs={a.startP50Ms} form="short" />
								</td>
								<td className="num max-md:hidden">
									<Money value={a.cashMicroUsd} kind="estimate" />
								</td>
								<td className="num max-md:pr-4!">
									<Money value={a.costMicroUsd} kind="estimate" />
								</td>
								<Bar value={a.costMicroUsd} most={most} fill={FILL[a.placement.capacityType]} />
							</tr>
						))}
					</tbody>
				</table>
			)}
			<p className="border-t px-4 py-2.5 text-xs text-pretty text-ink-3">
				{receipt.alternatives.length > 0
					? "Estimates: this job's machine time at decision-time prices, including disks and egress."
					: "The decision had no other candidates."}
			</p>
		</div>
	);
}

function Sub({ children }: { children: React.ReactNode }) {
	return <span className="block text-xs font-book text-pretty whitespace-normal text-ink-3">{children}</span>;
}

function Bar({ value, most, fill }: { value: bigint; most: bigint; fill: MarkFill }) {
	const share = most > 0n ? Number((value * 1_000n) / most) / 10 : 0;
	return (
		<td className="w-28 pr-4! max-md:hidden">
			<span aria-hidden className={`mark-exact block h-2.5 min-w-px rounded-xs ${FILL_CLASS[fill]}`} style={{ width: `${share}%` }} />
		</td>
	);
}

/** Owned hardware is a sunk cost. */
const newMoney = (receipt: ReceiptView): bigint =>
	receipt.attempts.filter((a) => a.placement.capacityType !== "owned").reduce((sum, a) => sum + a.totals.costMicroUsd, 0n);

function Conclusion({ receipt, open }: { receipt: ReceiptView; open: boolean }) {
	const saved = spotSaved(receipt);
	const lost = lostOnFailures(receipt);
	const home = receipt.alternatives.find((a) => a.way === "at_home");
	const owned = receipt.attempts.every((a) => a.placement.capacityType === "owned");
	const spent = newMoney(receipt);
	return (
		<p className="px-4 py-3 text-pretty text-ink-2 [&_b]:text-ink">
			{owned ? (
				<>
					It {open ? "runs" : "ran"} on owned hardware at <b>no added cost</b>; the amount is its share of fixed costs.
				</>
			) : (
				<>
					<b>{formatMoney(spent, "posted")}</b> is added cost.
				</>
			)}
			{saved > 0n && (
				<>
					{" "}
					Spot saved <b>{formatMoney(saved, "posted")}</b> against on-demand.
				</>
			)}
			{home && home.removedBy === null && !owned && <> Owned GPUs: no added cost, but a later start.</>}
			{lost > 0n && (
				<>
					{" "}
					Failed and interrupted attempts cost <b>{formatMoney(lost, "posted")}</b> of it.
				</>
			)}
		</p>
	);
}
