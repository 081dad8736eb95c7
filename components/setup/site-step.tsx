"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { PricePool } from "#components/sites/price-pool.tsx";
import { AddSiteForm } from "#components/sites/site-form.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { SkipButton } from "./skip-button.tsx";
import { Step, type StepState } from "./step.tsx";
import { useSetupSettled } from "./use-setup.ts";

/** The scheduler finds pools within seconds. */
const LOOK_EVERY_MS = 3_000;

const CHOICES = {
	cluster: "Slurm, Kubernetes or this host. The check tries each part of the connection and says how to fix what fails.",
	cloud: "AWS, Azure or Google Cloud. The form shows the permissions to grant. Nothing is launched until the policy lets a job leave.",
};

type SiteStepProps = { step: "cluster" | "cloud"; no: number; title: string; state: StepState; names: readonly string[] };

/** An owned cluster or a cloud account, checked before it is added. */
export function SiteStep({ step, no, title, state, names }: SiteStepProps) {
	const onSettled = useSetupSettled();
	const [isOpen, setIsOpen] = useState(false);
	const unpriced = useUnpricedPools(step === "cluster" && state === "done");
	return (
		<Step no={no} title={title} summary={names.length > 0 ? names.slice(0, 5).join(", ") : undefined} state={state}>
			{state === "done" ? (
				unpriced.length > 0 && unpriced.map(({ siteId, pool }) => <PricePool key={`${siteId}/${pool.id}`} siteId={siteId} pool={pool} />)
			) : (
				<>
					<p className="text-pretty text-ink-2">{CHOICES[step]}</p>
					{isOpen && (
						<QueryBoundary what="the form" skeleton={<TextSkeleton lines={8} label="Loading form" />}>
							<AddSiteForm only={step === "cluster" ? "owned" : "cloud"} onAdded={onSettled} />
						</QueryBoundary>
					)}
					<div className="flex gap-2">
						{!isOpen && (
							<Button variant="primary" onClick={() => setIsOpen(true)}>
								{step === "cluster" ? "Connect cluster" : "Connect cloud"}
							</Button>
						)}
						{state === "open" && <SkipButton step={step} />}
					</div>
				</>
			)}
		</Step>
	);
}

/** Pools that the scheduler found on the clusters, which no job uses until they have a price. */
function useUnpricedPools(enabled: boolean) {
	const trpc = useTRPC();
	const isHydrated = useHydrated();
	const { data = [] } = useQuery(
		trpc.site.settings.queryOptions(undefined, { enabled: enabled && isHydrated, refetchInterval: LOOK_EVERY_MS }),
	);
	return data.flatMap(({ id, unpricedPools }) => unpricedPools.map((pool) => ({ siteId: id, pool })));
}
