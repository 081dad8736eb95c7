"use client";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { lazy, Suspense, useState } from "react";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { Forbidden } from "#components/page/states.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import type { Check } from "./check-draft.ts";
import type { Script } from "./paste-workbench.tsx";
import { type Initial, SubmitWorkbench } from "./submit-workbench.tsx";
import type { JobTemplate } from "./templates.ts";

type SubmitJob = {
	initial: { text: string; check: Check };
	teams: readonly string[];
	templates: readonly JobTemplate[];
	note: string | null;
};

type SubmitScreenProps = {
	/** Null if the user's role cannot submit. */
	job: SubmitJob | null;
};

/** Contains the job file schema, which the form loads on the first edit. */
const PasteWorkbench = lazy(() => import("./paste-workbench.tsx").then((loaded) => ({ default: loaded.PasteWorkbench })));

const TABS = [
	{ id: "form", label: "Form and YAML" },
	{ id: "paste", label: "Paste sbatch or Kubernetes" },
] as const;

/** The form, or a pasted script that can be opened in the form. */
function SubmitTabs({ job }: { job: SubmitJob }) {
	const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(["form", "paste"] as const).withDefault("form"));
	const [initial, setInitial] = useState<Initial>({ ...job.initial, script: null });
	const hydrated = useHydrated();
	const open = (text: string, check: Check, script: Script | null) => {
		setInitial({ text, check, script });
		void setTab("form");
	};
	return (
		<>
			<TabLinks
				label="Input method"
				current={tab}
				tabs={TABS.map((t) => ({ ...t, href: t.id === "form" ? "/jobs/new" : "/jobs/new?tab=paste" }))}
				className="mb-4"
			/>
			{tab === "paste" && !hydrated ? (
				// Disabled until hydrated; earlier input would be lost.
				<TextSkeleton lines={10} label="Loading" />
			) : tab === "paste" ? (
				<Suspense fallback={<TextSkeleton lines={10} label="Loading" />}>
					<PasteWorkbench teams={job.teams} onOpen={open} />
				</Suspense>
			) : (
				<SubmitWorkbench key={initial.text} initial={initial} teams={job.teams} templates={job.templates} />
			)}
		</>
	);
}

export function SubmitScreen({ job }: SubmitScreenProps) {
	return (
		<>
			<PageHeader
				crumbs={[{ label: "Jobs", href: "/jobs" }]}
				title="New job"
				actions={<ButtonLink href="/pipelines/templates">Team templates</ButtonLink>}
				meta={job?.note && <span className="truncate text-ink-3 max-md:hidden">{job.note}</span>}
			/>
			<PageBody>
				{job ? (
					<PanelGate
						what="the form"
						fallback={
							<Panel title="Job">
								<TextSkeleton lines={10} label="Loading form" />
							</Panel>
						}
					>
						<SubmitTabs job={job} />
					</PanelGate>
				) : (
					<Panel>
						<Forbidden
							what="this form"
							who="data scientists and platform engineers"
							detail="You can view all jobs."
							action={{ label: "Go to Jobs", href: "/jobs" }}
						/>
					</Panel>
				)}
			</PageBody>
		</>
	);
}
