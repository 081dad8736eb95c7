"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { formatMoney } from "#components/money/format-money.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import { approvalsHref } from "./params.ts";
import { APPROVAL_STATES, answerWords, outlookWords } from "./words.ts";

/** On a job's page: who was asked, who can answer, what was said. Nothing for a job about which nobody was asked. */
export function JobApproval({ jobId }: { jobId: string }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data } = useQuery(trpc.approval.ofJob.queryOptions({ jobId }));
	const again = useMutation(
		trpc.approval.askAgain.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.approval.pathKey() }),
			onError: (error) => notify({ tone: "failed", title: "That was not possible", detail: describeError(error).detail }),
		}),
	);
	const item = data?.approval;
	if (!data || !item) return null;
	const { label, tone } = APPROVAL_STATES[item.state];
	return (
		<Panel
			id="approval"
			title="Approval"
			sub={`rule ${item.ruleId} asks about ${formatMoney(item.quote.costMicroUsd, "estimate")}`}
			actions={
				<>
					<Chip tone={tone}>{label}</Chip>
					{data.mayAskAgain && (
						<Button busy={again.isPending} onClick={() => again.mutate({ jobId })}>
							Ask again
						</Button>
					)}
					<ButtonLink href={approvalsHref({ view: item.state === "open" ? "open" : "past", approval: item.id })}>
						{item.mayAnswer ? "Answer it" : "See what is asked"}
					</ButtonLink>
				</>
			}
			padded
		>
			<p className="text-pretty text-ink-2">
				{item.state === "open" ? (
					<>
						Asked <Time atMs={Date.parse(item.requestedAt)} />. {data.outlook && outlookWords(data.outlook)}
					</>
				) : (
					<>
						{answerWords(item)}
						{item.decidedBy !== null && `, said ${item.decidedBy}`}
						{item.decidedAt !== null && (
							<>
								, <Time atMs={Date.parse(item.decidedAt)} />
							</>
						)}
						{item.note !== null && `: ${item.note}`}
					</>
				)}
			</p>
		</Panel>
	);
}
