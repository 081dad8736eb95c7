"use client";
import { Time } from "#components/time/relative-time.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { ADOPTION_WORDS } from "./adoption-words.ts";

/** Adoption status of a job from a cluster's own queue. */
export function JobAdoption({ adoption }: { adoption: NonNullable<JobDetail["adoption"]> }) {
	const { label, tone, says } = ADOPTION_WORDS[adoption.state];
	const { output, outcome } = adoption;
	const problem = adoption.problem ?? output?.problem ?? null;
	return (
		<Panel
			title={`Adopted from ${adoption.siteName}`}
			sub={`job ${adoption.foreignId} by ${adoption.user}, partition ${adoption.partition}`}
			actions={<Chip tone={tone}>{label}</Chip>}
			padded
		>
			<p className="max-w-[90ch] text-pretty text-ink-2">
				{says} {adoption.why !== null && `${adoption.why}. `}Rule {adoption.ruleId}, policy version {adoption.policyVersion}{" "}
				<Time atMs={Date.parse(adoption.offeredAt)} />
				{adoption.heldAt !== null && (
					<>
						. The cluster {adoption.endedAt === null ? "has held it since" : "held it from"}{" "}
						<Time atMs={Date.parse(adoption.heldAt)} form="short" />
						{adoption.endedAt !== null && (
							<>
								{" "}
								to <Time atMs={Date.parse(adoption.endedAt)} form="short" />
							</>
						)}
					</>
				)}
				.
			</p>
			{outcome && <p className="mt-1 text-ink-2">Message to the owner: {outcome.comment}.</p>}
			{output && output.files.length > 0 && (
				<p className="mt-1 text-ink-2 [overflow-wrap:anywhere]">
					Output is in <code>{output.files.join(", ")}</code>.
				</p>
			)}
			{problem !== null && (
				<p role="alert" className="mt-1 text-risk-ink [overflow-wrap:anywhere]">
					{problem}
				</p>
			)}
		</Panel>
	);
}
