import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PipelinesPanel } from "#components/pipelines/pipelines-panel.tsx";

export const metadata: Metadata = { title: "Sweeps" };

export default function SweepsPage() {
	return (
		<>
			<PageHeader title="Sweeps" />
			<PageBody>
				<PipelinesPanel kind="Sweep" />
			</PageBody>
		</>
	);
}
