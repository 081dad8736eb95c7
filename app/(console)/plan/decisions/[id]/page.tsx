import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { Forbidden } from "#components/page/states.tsx";
import { DecisionScreen } from "#components/plan/decision-screen.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Decision" };

export default async function DecisionPage({ params }: { params: Promise<{ id: string }> }) {
	const actor = await sessionActor();
	const { id } = await params;
	if (actor?.kind === "person" && actor.role !== "data_scientist") return <DecisionScreen id={id} />;
	return (
		<>
			<PageHeader title="Decision" />
			<PageBody>
				<Panel>
					<Forbidden what="the business case" who="platform engineers and finance" detail="It shows jobs and costs of every team." />
				</Panel>
			</PageBody>
		</>
	);
}
