// Adds what helps and is not needed: a choice of which rules are listed, and buttons that copy a command.
for (const agent of document.querySelectorAll(".agent")) {
  const rules = [...agent.querySelectorAll(".rules > li")];
  const heading = agent.querySelector(".rules")?.parentElement.querySelector(":scope > h3:last-of-type");
  if (!heading) continue;
  const statuses = ["all", ...new Set(rules.map((rule) => rule.className.slice(3)))];
  const choice = document.createElement("div");
  choice.className = "choice";
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", "Rules to list");
  const show = (wanted) => {
    for (const rule of rules) rule.hidden = wanted !== "all" && rule.className !== `is-${wanted}`;
    for (const list of agent.querySelectorAll(".rules")) {
      const empty = [...list.children].every((rule) => rule.hidden);
      list.hidden = empty;
      list.previousElementSibling.hidden = empty;
    }
    for (const button of choice.children) button.setAttribute("aria-pressed", button.textContent === wanted);
  };
  for (const status of statuses) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = status;
    button.addEventListener("click", () => show(status));
    choice.append(button);
  }
  heading.after(choice);
  show("all");
}
if (navigator.clipboard) {
  for (const command of document.querySelectorAll("dd > code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "copied";
    });
    command.after(" ", button);
  }
}
