"use client";
import { useMutation } from "@tanstack/react-query";
import { Money } from "#components/money/money.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { underBase } from "#components/ui/under-base.ts";
import { formatBytes } from "./job-checkpoints.tsx";

/** The results of a job: every file with its size and a download. */
export function JobResults({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.artifact.list.queryOptions({ id: job.id }));
	return (
		<Panel title="Results" sub={`spillway artifacts get ${job.name}`}>
			<Deliveries items={data} />
			<Kept items={keptItems(data)} />
			{data.length === 0 ? (
				<EmptyState icon="jobs" title="No results yet" className="py-7">
					{job.finishedAt === null ? "Results appear when an attempt ends." : "The job ended without results."}
				</EmptyState>
			) : (
				<Table aria-label="Results">
					<thead>
						<tr>
							<Th>File</Th>
							<Th>Result</Th>
							<Th n>Attempt</Th>
							<Th>Created</Th>
							<Th n>Size</Th>
							<Th>
								<span className="sr-only">Download</span>
							</Th>
						</tr>
					</thead>
					<tbody>
						{data.flatMap((item) =>
							item.fileList.map((file) => <FileRow key={`${item.id}/${file.path}`} job={job} item={item} file={file} />),
						)}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

/** Monthly cost of keeping each result. */
function Kept({ items }: { items: readonly KeptItem[] }) {
	if (items.length === 0) return null;
	return (
		<ul className="grid gap-1.5 px-4 pb-3 text-sm">
			{items.map(({ id, name, bytes, microUsdPerMonth, expiresAt }) => (
				<li key={id} className="flex flex-wrap items-baseline gap-x-2">
					<b className="font-semibold">{name}</b>
					<span>{formatBytes(bytes)}</span>
					<span className="text-ink-2">
						{microUsdPerMonth === null ? "no storage price set" : <Money value={microUsdPerMonth} kind="price" per="a month" />}, kept{" "}
						{expiresAt === null ? (
							"until deleted"
						) : (
							<>
								until <Time atMs={Date.parse(expiresAt)} form="short" />
							</>
						)}
					</span>
				</li>
			))}
		</ul>
	);
}

/** Results that are kept; files that a run logged are one item, kept until the last one expires. */
function keptItems(items: readonly (KeptItem & { runId: string | null; deletedAt: string | null })[]): KeptItem[] {
	const kept = items.filter(({ deletedAt }) => deletedAt === null);
	const groups = Map.groupBy(kept, ({ id, runId }) => runId ?? id);
	return [...groups].flatMap(([id, group]) => {
		const [first] = group;
		if (!first) return [];
		const prices = group.map(({ microUsdPerMonth }) => microUsdPerMonth);
		const ends = group.map(({ expiresAt }) => expiresAt);
		return {
			id,
			name: first.runId === null ? first.name : `MLflow run ${first.runId.slice(0, 8)}`,
			bytes: group.reduce((sum, { bytes }) => sum + bytes, 0),
			microUsdPerMonth: prices.includes(null) ? null : prices.reduce((sum, price) => sum + BigInt(price ?? 0), 0n).toString(),
			expiresAt: ends.includes(null) ? null : (ends.sort().at(-1) ?? null),
		};
	});
}

type KeptItem = { id: string; name: string; bytes: number; microUsdPerMonth: string | null; expiresAt: string | null };

/** Undelivered copies, with the reason. */
function Deliveries({ items }: { items: readonly { id: string; name: string; deliveries: readonly Delivery[] }[] }) {
	const trpc = useTRPC();
	const retry = useMutation(
		trpc.artifact.deliver.mutationOptions({
			onError: (error) => notify({ tone: "failed", title: "Could not retry the delivery", detail: describeError(error).detail }),
		}),
	);
	const rows = items.flatMap((item) => item.deliveries.map((delivery) => ({ item, delivery })));
	if (rows.length === 0) return null;
	return (
		<ul className="grid gap-1.5 px-4 pb-3 text-sm">
			{rows.map(({ item, delivery }) => (
				<li key={`${item.id} ${delivery.target}`} className="flex flex-wrap items-baseline gap-x-2">
					<b className="font-semibold">{item.name}</b>
					<span className="font-mono text-xs">{delivery.target}</span>
					<span className={delivery.state === "delivered" || delivery.error === null ? "text-ink-2" : "text-risk-ink"}>
						{deliveryText(delivery)}
					</span>
					{delivery.nextAt !== null && delivery.failures > 0 && <Time atMs={Date.parse(delivery.nextAt)} form="short" />}
					{delivery.state !== "delivered" && delivery.failures > 0 && (
						<Button size="sm" variant="link" disabled={retry.isPending} onClick={() => retry.mutate({ id: item.id })}>
							Retry now
						</Button>
					)}
				</li>
			))}
		</ul>
	);
}

type Delivery = {
	target: string;
	state: "pending" | "delivered" | "failed";
	failures: number;
	error: string | null;
	nextAt: string | null;
};

function deliveryText({ state, failures, error }: Delivery): string {
	if (state === "delivered") return "Delivered";
	if (failures === 0) return "Not delivered yet";
	return state === "failed" ? `Not delivered, given up after ${failures} tries: ${error}` : `Not delivered: ${error}. Next try`;
}

type Item = {
	id: string;
	name: string;
	runId: string | null;
	kind: string;
	attemptId: string;
	createdAt: string;
	deletedAt: string | null;
};
type File = { path: string; bytes: number; sha256: string };

function FileRow({ job, item, file }: { job: JobDetail; item: Item; file: File }) {
	const trpc = useTRPC();
	const link = useMutation(
		trpc.artifact.createLink.mutationOptions({
			onSuccess: ({ url }) => window.location.assign(underBase(url)),
			onError: (error) => notify({ tone: "failed", title: `Could not download ${file.path}`, detail: describeError(error).detail }),
		}),
	);
	const number = job.attemptList.find((a) => a.id === item.attemptId)?.number;
	return (
		<Tr>
			<Td phone="a" className="font-mono text-xs" title={`SHA-256 ${file.sha256}`}>
				{file.path}
			</Td>
			<Td phone="c">
				{item.runId === null ? item.name : "MLflow"} <span className="text-ink-3">{item.kind}</span>
			</Td>
			<Td n>{number === undefined ? "" : formatCount(number)}</Td>
			<Td>
				<Time atMs={Date.parse(item.createdAt)} form="short" />
			</Td>
			<Td n phone="b">
				{formatBytes(file.bytes)}
			</Td>
			<Td phone="d">
				{item.deletedAt === null ? (
					<Button
						size="sm"
						variant="link"
						disabled={link.isPending}
						aria-label={`Download ${file.path}`}
						onClick={() => link.mutate({ id: item.id, path: file.path, minutes: 5 })}
					>
						Download
					</Button>
				) : (
					<span className="text-ink-3">Deleted</span>
				)}
			</Td>
		</Tr>
	);
}
