import type { ReactNode } from "react";
import { BrandMark } from "#components/shell/brand.tsx";
import { NavLink, PhoneLink } from "#components/shell/nav-link.tsx";
import { screenGroups, screensFor } from "#components/shell/navigation.ts";
import { OverlayHost } from "#components/shell/overlay-host.tsx";
import { MoreButton, PaletteButton } from "#components/shell/palette-button.tsx";
import type { ShellCounts, ShellUser, SignOut } from "#components/shell/session.ts";
import { UserMenu } from "#components/shell/user-menu.tsx";
import { ClockProvider } from "#components/time/clock.tsx";
import { Link } from "#components/ui/link.tsx";

type AppShellProps = {
	user: ShellUser;
	/** Server time of this response, for all relative times. */
	nowMs: number;
	counts?: ShellCounts;
	/** A banner shown above every screen. */
	banner?: ReactNode;
	signOut?: SignOut;
	children: ReactNode;
};

const stayHere: SignOut = async () => {};

/** The console shell: sidebar or phone bar, and keyboard shortcuts. */
export function AppShell({ user, nowMs, counts = {}, banner, signOut = stayHere, children }: AppShellProps) {
	return (
		<ClockProvider nowMs={nowMs}>
			<a
				href="#content"
				className="sr-only z-50 rounded-lg bg-accent px-4 py-2 font-strong text-accent-ink focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
			>
				Skip to content
			</a>
			<div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] md:grid-cols-[3.75rem_minmax(0,1fr)] rail:grid-cols-[13.5rem_minmax(0,1fr)] print:block">
				<header className="sticky top-0 flex h-dvh flex-col gap-0.5 overflow-y-auto border-r bg-sunken px-2.5 py-3.5 max-md:hidden max-rail:items-center print:hidden">
					<Link href="/" className="mb-3 flex h-8 items-center gap-2.25 rounded-md px-2 text-md font-[650] tracking-tight">
						<BrandMark />
						<span className="max-rail:sr-only">Spillway</span>
					</Link>
					<PaletteButton />
					<nav aria-label="Screens" className="grid gap-0.5">
						{screenGroups(user.permissions).map(({ group, screens }) => (
							<div key={group} className="grid gap-0.5">
								{group && (
									<div className="px-2.25 pt-3.5 pb-1 text-2xs font-strong text-ink-3 max-rail:mx-auto max-rail:h-px max-rail:w-6 max-rail:bg-line max-rail:p-0 max-rail:text-transparent max-rail:my-1.5">
										{group}
									</div>
								)}
								{screens.map((screen) => (
									<NavLink key={screen.id} screen={screen} count={counts[screen.id]} />
								))}
							</div>
						))}
					</nav>
					<div className="flex-1" />
					<UserMenu user={user} signOut={signOut} />
				</header>
				<div className="flex min-w-0 flex-col max-md:pb-[calc(3.5rem+env(safe-area-inset-bottom))]">
					{banner}
					<main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
						{children}
					</main>
				</div>
			</div>
			<nav
				aria-label="Screens"
				className="fixed inset-x-0 bottom-0 z-30 flex border-t bg-panel pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
			>
				{screensFor(user.permissions)
					.filter((s) => s.onPhoneBar)
					.map((screen) => (
						<PhoneLink key={screen.id} screen={screen} />
					))}
				<MoreButton />
			</nav>
			<OverlayHost user={user} signOut={signOut} />
		</ClockProvider>
	);
}
