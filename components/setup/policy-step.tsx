"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { prepareRules } from "#components/policies/rules.ts";
import { SentenceText } from "#components/policies/sentence-text.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Inputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { FIRST_ANSWERS, PolicyQuestions, readAnswers } from "./policy-questions.tsx";
import { Step, type StepState } from "./step.tsx";
import { useSetupSettled, useSkip } from "./use-setup.ts";

/** Four questions, the policy that they make, and publishing it. */
export function PolicyStep({ state }: { state: StepState }) {
	return (
		<Step no={7} title="First policy" state={state}>
			{state === "done" ? null : <PolicyForm canSkip={state === "open"} />}
		</Step>
	);
}

function PolicyForm({ canSkip }: { canSkip: boolean }) {
	const skip = useSkip();
	const [answers, setAnswers] = useState(FIRST_ANSWERS);
	const [isShown, setIsShown] = useState(false);
	const { input, errors } = readAnswers(answers);
	return (
		<form
			className="grid gap-4"
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				setIsShown(true);
			}}
		>
			<PolicyQuestions answers={answers} set={(part) => setAnswers((now) => ({ ...now, ...part }))} errors={isShown ? errors : {}} />
			{isShown && input !== null && <Preview input={input} />}
			<div className="flex gap-2">
				{!isShown && (
					<Button type="submit" variant="primary">
						Show policy
					</Button>
				)}
				{canSkip && (
					<Button variant="quiet" busy={skip.isPending} onClick={() => skip.mutate({ step: "policy" })}>
						Skip
					</Button>
				)}
			</div>
		</form>
	);
}

function Preview({ input }: { input: Inputs["setup"]["policy"] }) {
	const trpc = useTRPC();
	const onSettled = useSetupSettled();
	const { data, error, refetch } = useQuery(trpc.setup.policy.queryOptions(input));
	const publish = useMutation(trpc.policy.publish.mutationOptions({ onSettled }));
	if (error)
		return (
			<p role="alert" className="flex flex-wrap items-center gap-2 text-risk-ink">
				Could not build the policy. {describeError(error).detail}
				<Button size="sm" onClick={() => void refetch()}>
					Try again
				</Button>
			</p>
		);
	if (!data)
		return (
			<div role="status" aria-label="Building the policy">
				<Skeleton className="h-40" />
			</div>
		);
	const { source, check } = data;
	return (
		<div className="grid gap-3">
			<dl className="grid gap-2">
				{prepareRules({ source, sentences: check.sentences ?? [] }).map(({ heading, cards }) => (
					<div key={heading} className="grid gap-0.5">
						<dt className="text-xs font-strong text-ink-3">{heading}</dt>
						{cards.map((card) => (
							<dd key={card.id}>
								<SentenceText sentence={card.sentence} />
							</dd>
						))}
					</div>
				))}
			</dl>
			{check.problems.map((problem) => (
				<p key={`${problem.line}:${problem.column}`} className={problem.severity === "error" ? "text-risk-ink" : "text-warn-ink"}>
					Line {problem.line}: {problem.message}
				</p>
			))}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
			<section tabIndex={0} aria-label="Policy document" className="max-h-80 overflow-auto rounded-lg bg-sunken">
				<pre className="p-3 font-mono text-xs break-words whitespace-pre-wrap">{source}</pre>
			</section>
			{Boolean(publish.error) && (
				<p role="alert" className="text-risk-ink">
					{describeError(publish.error).detail}
				</p>
			)}
			<Button
				variant="primary"
				className="justify-self-start"
				disabled={!check.ok}
				busy={publish.isPending}
				onClick={() =>
					publish.mutate({ name: "default", source, message: "First policy, from the set-up", baseVersion: check.published?.version ?? 0 })
				}
			>
				Publish
			</Button>
		</div>
	);
}
