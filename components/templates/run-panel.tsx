"use client";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { useSettled } from "#components/ui/use-settled.ts";
import { ParameterFields } from "./parameter-fields.tsx";
import { initialValues, missingOf, type ParameterValues, parametersOf } from "./parameter-values.ts";
import { QuoteFacts } from "./quote-facts.tsx";

type Detail = Outputs["template"]["get"];
type Run = Outputs["template"]["run"];

const QUOTE_AFTER_MS = 300;
const PAGES = { Job: "/jobs", Pipeline: "/pipelines", Sweep: "/sweeps" } as const;

/** The form of a template with the quote of the resulting run. */
export function RunPanel({ detail }: { detail: Detail }) {
	const { id, version, kind, parameters, description, team } = detail;
	const canRun = detail.source !== null;
	const trpc = useTRPC();
	const [changed, setChanged] = useState<ParameterValues>({});
	const values = { ...initialValues(parameters), ...changed };
	const missing = missingOf(parameters, values);
	const input = { id, version, parameters: parametersOf(parameters, values) };
	const settled = useSettled(JSON.stringify(input), QUOTE_AFTER_MS);
	const isSettled = settled === JSON.stringify(input);
	const asked = JSON.parse(settled) as typeof input;
	const quote = useQuery(
		trpc.template.quote.queryOptions(asked, { enabled: canRun && missing.length === 0, placeholderData: keepPreviousData, retry: false }),
	);
	const run = useMutation(trpc.template.run.mutationOptions());
	const failure = run.error ?? quote.error;
	const isReady = canRun && missing.length === 0 && isSettled && quote.isSuccess && !quote.isPlaceholderData;
	return (
		<Panel title={`Run this ${kind.toLowerCase()}`} sub={`${team}, version ${version}`} padded>
			<form
				className="grid gap-4"
				onSubmit={(event) => {
					event.preventDefault();
					if (isReady) run.mutate(input);
				}}
			>
				{description !== "" && <p className="text-ink-2">{description}</p>}
				<ParameterFields
					parameters={parameters}
					values={values}
					errors={fieldErrorsOf(failure)}
					onChange={(name, value) => {
						setChanged({ ...changed, [name]: value });
						run.reset();
					}}
				/>
				{canRun && (
					<div className="grid gap-3 border-t pt-3">
						{missing.length > 0 ? (
							<p className="text-ink-3">Fill in {missing.join(", ")} to get a quote.</p>
						) : failure ? (
							<p role="alert" className="text-risk-ink">
								{describeError(failure).detail}
							</p>
						) : quote.data ? (
							<QuoteFacts quote={quote.data} />
						) : (
							<TextSkeleton lines={2} label="Loading quote" />
						)}
						<div className="flex flex-wrap items-center gap-3">
							<Button variant="primary" type="submit" busy={run.isPending} disabled={!isReady}>
								Run
							</Button>
							{run.data && <Started run={run.data} />}
						</div>
					</div>
				)}
				{!canRun && <p className="text-ink-3">Your role can read templates, not run them.</p>}
			</form>
		</Panel>
	);
}

function Started({ run: { kind, id, name } }: { run: Run }) {
	return (
		<p role="status">
			Started{" "}
			<Link href={`${PAGES[kind]}/${id}`} className="font-strong underline underline-offset-4">
				{name}
			</Link>
		</p>
	);
}
