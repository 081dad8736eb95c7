"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Money } from "#components/money/money.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState, ErrorState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

type Trigger = Outputs["trigger"]["list"][number];
type Firing = Trigger["firings"][number];

/** Triggers with their next time, last firings, and why they did not fire. */
export function TriggersPanel() {
	const trpc = useTRPC();
	const { data, error, refetch } = useQuery(trpc.trigger.list.queryOptions({}));
	if (error)
		return (
			<Panel>
				<ErrorState title="Could not load triggers" detail={describeError(error).detail} onRetry={() => void refetch()} />
			</Panel>
		);
	if (!data)
		return (
			<Panel>
				<TableSkeleton rows={4} columns={4} label="Loading triggers" />
			</Panel>
		);
	if (data.length === 0)
		return (
			<Panel>
				<EmptyState icon="triggers" title="No triggers yet">
					Start pipelines on a schedule or when data arrives:{" "}
					<code className="text-xs whitespace-nowrap">spillway trigger apply -f trigger.yaml</code>
				</EmptyState>
			</Panel>
		);
	return data.map((trigger) => <TriggerPanel key={trigger.id} trigger={trigger} />);
}

function TriggerPanel({ trigger }: { trigger: Trigger }) {
	const trpc = useTRPC();
	const enable = useMutation(trpc.trigger.enable.mutationOptions());
	const { id, name, team, source, enabled, nextAt, status, failed, firings } = trigger;
	return (
		<Panel
			title={name}
			sub={`${sourceWords(source)}, team ${team}`}
			actions={
				<>
					{!enabled && <Chip>disabled</Chip>}
					{nextAt !== null && (
						<span>
							next <Time atMs={Date.parse(nextAt)} form="short" />
						</span>
					)}
					<Button size="sm" onClick={() => enable.mutate({ id, enabled: !enabled })} disabled={enable.isPending}>
						{enabled ? "Disable" : "Enable"}
					</Button>
				</>
			}
		>
			{(enable.error ?? status) && (
				<p role={failed ? "alert" : "status"} className={`px-4 pb-3 ${failed || enable.error ? "text-risk-ink" : "text-ink-2"}`}>
					{enable.error ? describeError(enable.error).detail : status}
				</p>
			)}
			{firings.length === 0 ? <p className="px-4 pb-4 text-ink-3">Not fired yet.</p> : <Firings name={name} firings={firings} />}
		</Panel>
	);
}

function sourceWords(source: Trigger["source"]): string {
	switch (source.kind) {
		case "cron":
			return `${source.schedule} (${source.zone})`;
		case "data": {
			const parts = [
				source.files === null ? null : `${formatCount(source.files)} new objects`,
				source.sizeGiB === null ? null : `${source.sizeGiB} GiB`,
			];
			return `${parts.filter((part) => part !== null).join(" or ")} at ${source.uri}`;
		}
		case "webhook":
			return source.types.length === 0 ? "any signed event" : `events ${source.types.join(", ")}`;
		case "after":
			return `after pipeline ${source.pipeline}`;
	}
}

/** Each firing with everything that it bought, as one unit. */
function Firings({ name, firings }: { name: string; firings: readonly Firing[] }) {
	return (
		<Table aria-label={`Firings of ${name}`}>
			<thead>
				<tr>
					<Th>Fired</Th>
					<Th>Saw</Th>
					<Th>Pipeline</Th>
					<Th n>Cost</Th>
				</tr>
			</thead>
			<tbody>
				{firings.map(({ key, at, saw, pipelineId, pipelineState, costMicroUsd, error }) => (
					<Tr key={key}>
						<Td phone="a">
							<Time atMs={Date.parse(at)} form="short" />
						</Td>
						<Td phone="c" className="whitespace-normal!">
							{seenText(saw)}
						</Td>
						<Td phone="d" className="whitespace-normal!">
							{pipelineId === null ? (
								<span className="text-risk-ink">{error}</span>
							) : (
								<Link href={`/pipelines/${pipelineId}`} className="font-strong hover:underline">
									{pipelineState}
								</Link>
							)}
						</Td>
						<Td n phone="b">
							<Money value={costMicroUsd} />
						</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}

function seenText({ time, files, objects, event, pipeline, missed }: Firing["saw"]): string {
	const late = missed === undefined ? "" : `, after ${formatCount(missed)} missed`;
	if (files !== undefined) return `${formatCount(files)} objects: ${(objects ?? []).slice(0, 3).join(", ")}${files > 3 ? ", …" : ""}`;
	if (event) return `${event.type} from ${event.source}`;
	return pipeline ? `pipeline ${pipeline.state}` : `${time.slice(0, 16).replace("T", " ")} UTC${late}`;
}
