import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

export default function NotFound() {
	return (
		<>
			<PageHeader title="Not found" />
			<PageBody>
				<Panel>
					<EmptyState icon="question" title="Page not found" action={{ label: "Go to Jobs", href: "/jobs" }}>
						The link may be outdated, or belong to another team.
					</EmptyState>
				</Panel>
			</PageBody>
		</>
	);
}
