"use client";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Health } from "#components/ui/chip.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";

export const CHAIN_EVERY_MS = 3_000;

/** Shows chain integrity, verified entries and the latest hash. */
export function ChainPanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.audit.chain.queryOptions(undefined, { refetchInterval: CHAIN_EVERY_MS }));
	const { head, lastCheck } = data;
	if (!head)
		return <Panel padded>{<p className="pt-3.5 text-ink-2">No sealed entries yet. New entries are sealed every second.</p>}</Panel>;
	return (
		<Panel>
			<div className="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
				{lastCheck === null ? (
					<Health tone="neutral">Not verified yet; verification runs every minute</Health>
				) : lastCheck.broken ? (
					<p role="alert" className="text-risk-ink">
						<Health tone="risk" className="font-semibold">
							Chain broken.
						</Health>{" "}
						{lastCheck.sentence}
					</p>
				) : (
					<Health tone="ok">
						<span>
							Verified: {formatCount(lastCheck.verified.sequence)} entries, <Time atMs={lastCheck.checkedAtMs} />
						</span>
					</Health>
				)}
				<span className="inline-flex min-w-0 flex-wrap items-center gap-x-2 text-ink-2">
					Latest hash, entry {formatCount(head.sequence)}: <CopyId value={head.hash} short={`${head.hash.slice(0, 16)}…`} />
				</span>
				<span className="text-xs text-ink-3 max-md:hidden">Save this hash elsewhere to detect later truncation.</span>
			</div>
		</Panel>
	);
}
