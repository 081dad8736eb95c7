-- expands: earlier programs run on this schema
ALTER TABLE "team" ADD COLUMN "title" text;--> statement-breakpoint
ALTER TABLE "team" ADD COLUMN "cost_center" text;--> statement-breakpoint
ALTER TABLE "team" ADD COLUMN "parent" text;--> statement-breakpoint
ALTER TABLE "team" ADD CONSTRAINT "team_parent" FOREIGN KEY ("parent") REFERENCES "public"."team"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "team_parent_index" ON "team" USING btree ("parent");