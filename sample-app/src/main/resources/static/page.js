// Gives each command a button that copies it
for (const code of document.querySelectorAll("pre code")) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.onclick = async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  };
  code.after(button);
}
