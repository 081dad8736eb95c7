"use client";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Health } from "#components/ui/chip.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";

export const CHAIN_EVERY_MS = 3_000;

/** Whether the chain is whole, how far it was verified, and its head to take along. */
export function ChainPanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.audit.chain.queryOptions(undefined, { refetchInterval: CHAIN_EVERY_MS }));
	const { head, lastCheck } = data;
	if (!head)
		return <Panel padded>{<p className="pt-3.5 text-ink-2">No line is sealed yet. The scheduler seals new lines every second.</p>}</Panel>;
	return (
		<Panel>
			<div className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
				{lastCheck === null ? (
					<Health tone="neutral">Not verified yet; the scheduler does so every minute</Health>
				) : lastCheck.broken ? (
					<p role="alert" className="text-risk-ink">
						<Health tone="risk" className="font-semibold">
							The chain is broken.
						</Health>{" "}
						{lastCheck.sentence}
					</p>
				) : (
					<Health tone="ok">
						<span>
							Whole: {formatCount(lastCheck.verified.sequence)} lines verified, <Time atMs={lastCheck.checkedAtMs} />
						</span>
					</Health>
				)}
				<span className="inline-flex min-w-0 flex-wrap items-center gap-x-2 text-ink-2">
					Head, line {formatCount(head.sequence)}: <CopyId value={head.hash} short={`${head.hash.slice(0, 16)}…`} />
				</span>
				<span className="text-xs text-ink-3 max-md:hidden">
					Note the head elsewhere: with it, a tail that is cut off later can be shown.
				</span>
			</div>
		</Panel>
	);
}
