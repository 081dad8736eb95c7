import type { Metadata } from "next";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { PipelinesPanel } from "#components/pipelines/pipelines-panel.tsx";
import { ButtonLink } from "#components/ui/button.tsx";

export const metadata: Metadata = { title: "Sweeps" };

export default function SweepsPage() {
	return (
		<>
			<PageHeader title="Sweeps" actions={<ButtonLink href="/pipelines/templates">Templates</ButtonLink>} />
			<PageBody>
				<PipelinesPanel kind="Sweep" />
			</PageBody>
		</>
	);
}
