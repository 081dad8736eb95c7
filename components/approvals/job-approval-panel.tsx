"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { formatMoney } from "#components/money/format-money.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import { approvalsHref } from "./params.ts";
import { APPROVAL_STATES, answerWords, outlookWords } from "./words.ts";

type OfJob = NonNullable<Outputs["approval"]["ofJob"]>;
type Asked = OfJob & { approval: NonNullable<OfJob["approval"]> };

/** Approval status of a job: approvers, request and decision. */
export function JobApprovalPanel({ jobId, asked }: { jobId: string; asked: Asked }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const again = useMutation(
		trpc.approval.askAgain.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.approval.pathKey() }),
			onError: (error) => notify({ tone: "failed", title: "Could not request approval", detail: describeError(error).detail }),
		}),
	);
	const { approval: item, outlook, mayAskAgain } = asked;
	const { label, tone } = APPROVAL_STATES[item.state];
	return (
		<Panel
			id="approval"
			title="Approval"
			sub={`${item.ruleId}, about ${formatMoney(item.quote.costMicroUsd, "estimate")}`}
			actions={
				<>
					<Chip tone={tone}>{label}</Chip>
					{mayAskAgain && (
						<Button busy={again.isPending} onClick={() => again.mutate({ jobId })}>
							Request again
						</Button>
					)}
					<ButtonLink href={approvalsHref({ view: item.state === "open" ? "open" : "past", approval: item.id })}>
						{item.mayAnswer ? "Decide" : "Show request"}
					</ButtonLink>
				</>
			}
			padded
		>
			<p className="text-pretty text-ink-2">
				{item.state === "open" ? (
					<>
						Requested <Time atMs={Date.parse(item.requestedAt)} />. {outlook && outlookWords(outlook)}
					</>
				) : (
					<>
						{answerWords(item)}
						{item.decidedBy !== null && ` by ${item.decidedBy}`}
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
