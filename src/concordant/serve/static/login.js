// Logs in, and then opens the page again, with the job that its address names.

const form = document.getElementById("login");
const problem = document.getElementById("problem");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.textContent = "";
  try {
    const answer = await fetch("login", { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (answer.ok) {
      location.reload();
      return;
    }
    const { detail } = await answer.json();
    problem.textContent = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
  } catch {
    problem.textContent = "The server does not answer. Is it still running?";
  }
  form.token.select();
});
