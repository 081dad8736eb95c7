import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PipelinesPanel } from "#components/pipelines/pipelines-panel.tsx";

export const metadata: Metadata = { title: "Pipelines" };

export default function PipelinesPage() {
	return (
		<>
			<PageHeader title="Pipelines" />
			<PageBody>
				<PipelinesPanel kind="Pipeline" />
			</PageBody>
		</>
	);
}
