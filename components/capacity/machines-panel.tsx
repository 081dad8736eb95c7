"use client";
import type { inferRouterOutputs } from "@trpc/server";
import { machinesCsv } from "#components/capacity/export-csv.ts";
import { MACHINES_QUERY } from "#components/capacity/params.ts";
import { PreparedList } from "#components/capacity/prepared-list.tsx";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { StateMark } from "#components/job-state/state-mark.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Place } from "#components/place/place.tsx";
import { Elapsed, Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { CopyId } from "#components/ui/copy-id.tsx";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import type { AppRouter } from "#server/api/trpc/router.ts";

type Machine = inferRouterOutputs<AppRouter>["instance"]["list"]["items"][number];

/** Every machine that may cost money, with its job or the rule that keeps it warm. `seesAll` false: only the user's teams. */
export function MachinesPanel({ seesAll }: { seesAll: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.instance.list.queryOptions(MACHINES_QUERY));
	const burn = data.items.reduce((sum, m) => sum + BigInt(m.microUsdPerHour), 0n);
	const spent = data.items.reduce((sum, m) => sum + BigInt(m.costMicroUsd), 0n);
	const ready = data.items.filter((m) => m.state === "ready").length;
	return (
		<Panel
			id="machines"
			title="Cloud machines"
			sub={
				data.items.length > 0
					? `${ready} ready, ${data.items.length - ready} starting or stopping${seesAll ? "" : ", your teams"}`
					: seesAll
						? undefined
						: "your teams"
			}
			actions={
				data.items.length > 0 && (
					<>
						<span>{`${formatMoney(burn, "price")}/h, ${formatMoney(spent, "posted")} so far`}</span>
						<CsvButton size="sm" label="Cloud machines as CSV" fileName="spillway-machines.csv" text={() => machinesCsv(data.items)} />
					</>
				)
			}
		>
			{data.items.length === 0 ? (
				<EmptyState icon="capacity" title="No cloud machines running">
					Machines appear here from request to termination.
				</EmptyState>
			) : (
				<Table aria-label="Cloud machines">
					<thead>
						<tr>
							<Th>Machine</Th>
							<Th>State</Th>
							<Th>Where</Th>
							<Th>Job</Th>
							<Th n>Age</Th>
							<Th n>$/h</Th>
							<Th n>Cost so far</Th>
							<Th n>Expires</Th>
						</tr>
					</thead>
					<tbody>
						{data.items.map((machine) => (
							<MachineRow key={machine.id} machine={machine} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function MachineRow({ machine: m }: { machine: Machine }) {
	return (
		<Tr faded={m.providerInstanceId === null}>
			<Td className="py-1.5">
				<span className="block font-strong">{m.instanceType}</span>
				<span className="block text-xs">
					{m.providerInstanceId ? <CopyId value={m.providerInstanceId} /> : <span className="text-ink-3">no ID yet</span>}
				</span>
			</Td>
			<Td title={m.lastError ?? m.reason?.message} className="py-1.5" {...(m.fencedAt !== null && { phone: "e" as const })}>
				<StateMark state={m.state} note={noteOf(m)} />
				{/** Billed without doing work: money at risk, shown on phones too. */}
				{m.fencedAt !== null && (
					<span className="block max-w-44 text-xs text-pretty whitespace-normal text-risk-ink max-md:max-w-none">
						since <Time atMs={Date.parse(m.fencedAt)} form="short" />, job continues elsewhere
					</span>
				)}
			</Td>
			<Td phone="c">
				<Place capacity={m.capacityType} provider={m.provider} region={m.zone ?? m.region} />
			</Td>
			<Td phone="a">
				{m.jobId === null ? (
					m.warm && (
						<span>
							{m.warm.stopped ? "Kept stopped" : "Kept warm"} for rule <span className="font-strong">{m.warm.ruleId}</span>{" "}
							<span className="text-ink-3 md:block md:text-xs">
								until <Time atMs={Date.parse(m.warm.until)} form="short" />
							</span>
							{m.prepared && <PreparedList items={m.prepared} />}
						</span>
					)
				) : (
					<>
						<Link href={`/jobs/${m.jobId}`} className="font-strong hover:underline">
							{m.jobName}
						</Link>{" "}
						<span className="text-ink-3 md:block md:text-xs">
							{m.team}
							{m.nodes > 1 ? `, rank ${m.rank} of ${m.nodes}` : null}
						</span>
					</>
				)}
			</Td>
			<Td n>
				<Elapsed sinceMs={Date.parse(m.launchedAt ?? m.intendedAt)} />
			</Td>
			<Td n phone="b">
				<Money value={m.microUsdPerHour} kind="price" />
				<span className="text-ink-3 md:hidden">/h</span>
			</Td>
			<Td n>{m.launchedAt === null ? <span className="text-ink-3">not billed yet</span> : <Money value={m.costMicroUsd} />}</Td>
			<Td n phone="d">
				<span className="md:hidden">expires </span>
				<Time atMs={Date.parse(m.expiresAt)} form="short" />
			</Td>
		</Tr>
	);
}

function noteOf({ fencedAt, interruptionAt, lastError }: Machine): string | null {
	if (fencedAt !== null) return "disconnected";
	return interruptionAt ? "reclaimed" : lastError ? "last call failed" : null;
}
