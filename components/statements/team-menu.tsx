"use client";
import { Menu } from "#components/ui/menu.tsx";

/** Statement selector: the company or a visible team. */
export function TeamMenu({ team, teams }: { team: string; teams: readonly { team: string; href: string }[] }) {
	const word = (name: string) => (name === "" ? "The company" : `Team ${name}`);
	if (teams.length < 2) return <span className="font-strong text-ink-2">{word(team)}</span>;
	return (
		<Menu
			label={word(team)}
			name={`Statement of ${word(team)}`}
			size="sm"
			entries={teams.map((t) => ({
				kind: "item",
				id: `team-${t.team}`,
				label: word(t.team),
				href: t.href,
				hint: t.team === team ? "shown" : undefined,
			}))}
		/>
	);
}
