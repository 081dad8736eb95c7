import { GalleryCharts } from "#components/gallery/gallery-charts.tsx";
import { GalleryForms } from "#components/gallery/gallery-forms.tsx";
import { GalleryJobs } from "#components/gallery/gallery-jobs.tsx";
import { GalleryOverview } from "#components/gallery/gallery-overview.tsx";
import { GalleryStates } from "#components/gallery/gallery-states.tsx";
import { LiveStamp } from "#components/page/live-stamp.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { AppShell } from "#components/shell/app-shell.tsx";
import { DemoBanner } from "#components/shell/demo-banner.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";

/** Everything on one page. Figures are invented here and nowhere else: this page exists only while developing. */
export function Gallery({ nowMs }: { nowMs: number }) {
	return (
		<AppShell
			user={{ name: "Paula Platform", role: "Platform engineer", team: "platform" }}
			nowMs={nowMs}
			counts={{ jobs: 23 }}
			banner={<DemoBanner />}
		>
			<PageHeader
				title="Gallery"
				meta={<LiveStamp status="live" />}
				actions={
					<>
						<Button className="max-md:hidden">Last 24 hours</Button>
						<ButtonLink variant="primary" href="/jobs/new">
							New job
						</ButtonLink>
					</>
				}
			/>
			<PageBody>
				<GalleryOverview nowMs={nowMs} />
				<GalleryCharts nowMs={nowMs} />
				<GalleryForms nowMs={nowMs} />
				<GalleryStates />
			</PageBody>
			<GalleryJobs nowMs={nowMs} />
		</AppShell>
	);
}
